/* A peer for the tests of crivo-bench, in C as peer.h is: the keys in ascending order, and a key's
   rank is its place. The other methods are the same with a fault each, for what the harness says of
   it. */
#include <stdlib.h>
#include <string.h>

#include "bench/peer.h"

typedef struct {
  size_t count;
  size_t bytes;
  char* text;
  crivo_bench_key* keys; /* into text */
} sorted_set;

static int compare(const void* a, const void* b) {
  const crivo_bench_key* x = a;
  const crivo_bench_key* y = b;
  const int order = memcmp(x->data, y->data, x->size < y->size ? x->size : y->size);
  return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

static void* build(const crivo_bench_keys* keys, unsigned threads, const char** why) {
  (void)threads;
  (void)why;
  sorted_set* set = malloc(sizeof *set);
  set->count = keys->count;
  set->bytes = 0;
  for (size_t i = 0; i < keys->count; ++i) set->bytes += keys->keys[i].size;
  set->text = malloc(set->bytes);
  set->keys = malloc(keys->count * sizeof *set->keys);
  char* p = set->text;
  for (size_t i = 0; i < keys->count; ++i) {
    const crivo_bench_key key = keys->keys[i];
    memcpy(p, key.data, key.size);
    set->keys[i].data = p;
    set->keys[i].size = key.size;
    p += key.size;
  }
  qsort(set->keys, set->count, sizeof *set->keys, compare);
  return set;
}

static void destroy(void* built) {
  sorted_set* set = built;
  free(set->keys);
  free(set->text);
  free(set);
}

static uint64_t bits(const void* built) {
  const sorted_set* set = built;
  return 8 * (uint64_t)(set->bytes + set->count * sizeof *set->keys);
}

static uint64_t rank(const sorted_set* set, const crivo_bench_key* key) {
  const crivo_bench_key* found = bsearch(key, set->keys, set->count, sizeof *set->keys, compare);
  return found == NULL ? set->count : (uint64_t)(found - set->keys);
}

static void lookup(const void* built, const crivo_bench_keys* keys, uint64_t* ranks) {
  for (size_t i = 0; i < keys->count; ++i) ranks[i] = rank(built, &keys->keys[i]);
}

static void lookup_dependent(const void* built, const crivo_bench_keys* keys, uint64_t* ranks) {
  for (size_t i = 0; i < keys->count; i += 1 + (size_t)(ranks[i] >> 63)) {
    ranks[i] = rank(built, &keys->keys[i]);
  }
}

/* Faults. */

static void* build_nothing(const crivo_bench_keys* keys, unsigned threads, const char** why) {
  (void)keys;
  (void)threads;
  *why = "not today";
  return NULL;
}

static void* build_and_crash(const crivo_bench_keys* keys, unsigned threads, const char** why) {
  (void)keys;
  (void)threads;
  (void)why;
  abort();
}

static void lookup_same(const void* built, const crivo_bench_keys* keys, uint64_t* ranks) {
  (void)built;
  memset(ranks, 0, keys->count * sizeof *ranks);
}

static void lookup_beyond(const void* built, const crivo_bench_keys* keys, uint64_t* ranks) {
  lookup(built, keys, ranks);
  for (size_t i = 0; i < keys->count; ++i) ++ranks[i];
}

static void lookup_present(const void* built, const crivo_bench_keys* keys, uint64_t* ranks) {
  const sorted_set* set = built;
  lookup(built, keys, ranks);
  for (size_t i = 0; i < keys->count; ++i) {
    if (ranks[i] == set->count) abort();
  }
}

const crivo_bench_method* crivo_bench_methods(size_t* count) {
  static const crivo_bench_method methods[] = {
      {"sorted array", build, destroy, bits, lookup, lookup_dependent, lookup},
      {"builds nothing", build_nothing, destroy, bits, lookup, lookup_dependent, NULL},
      {"crashes", build_and_crash, destroy, bits, lookup, lookup_dependent, NULL},
      {"one rank", build, destroy, bits, lookup_same, lookup_dependent, NULL},
      {"ranks beyond", build, destroy, bits, lookup_beyond, lookup_dependent, NULL},
      {"other batch", build, destroy, bits, lookup, lookup_dependent, lookup_same},
      {"present only", build, destroy, bits, lookup_present, lookup_dependent, NULL},
  };
  *count = sizeof methods / sizeof *methods;
  return methods;
}
