/* SPDX-License-Identifier: Apache-2.0 */
/* A peer for the tests of crivo-bench, in C as peer.h is: the keys in ascending order, and a key's
   rank is its place; as a filter, whether it has one; as a map, the value of that place. The other
   methods are the same with a fault each, for what the harness says of it. */
#include <stdlib.h>
#include <string.h>

#include "bench/peer.h"

typedef struct {
  size_t count;
  size_t bytes;
  char* text;
  crivo_bench_key* keys; /* into text */
  uint64_t* values;      /* in the keys' order, if any */
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
  set->values = NULL;
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
  free(set->values);
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
    ranks[i] = crivo_bench_opaque(rank(built, &keys->keys[i]));
  }
}

/* Calls answer(set, key) for each key, as the loops of peer.h do. */
#define LOOPS(name, answer)                                                              \
  static void name(const void* built, const crivo_bench_keys* keys, uint64_t* answers) { \
    for (size_t i = 0; i < keys->count; ++i) answers[i] = answer(built, &keys->keys[i]); \
  }                                                                                      \
  static void name##_dependent(const void* built, const crivo_bench_keys* keys,          \
                               uint64_t* answers) {                                      \
    for (size_t i = 0; i < keys->count; i += 1 + (size_t)(answers[i] >> 63)) {           \
      answers[i] = crivo_bench_opaque(answer(built, &keys->keys[i]));                    \
    }                                                                                    \
  }

/* Filters. */

static uint64_t is_member(const sorted_set* set, const crivo_bench_key* key) {
  return rank(set, key) != set->count;
}
LOOPS(member, is_member)

/* Has a quarter of all random keys too. */
static uint64_t is_quarter(const sorted_set* set, const crivo_bench_key* key) {
  return is_member(set, key) || (key->data[key->size - 1] & 3) == 0;
}
LOOPS(quarter, is_quarter)

static void* build_quarter(const crivo_bench_keys* keys, unsigned threads, const char** why) {
  if (keys->fpr < 0.25) {
    *why = "no rate below a quarter";
    return NULL;
  }
  return build(keys, threads, why);
}

static uint64_t bits_quarter(const void* built) {
  return 3 * (uint64_t)((const sorted_set*)built)->count;
}

static uint64_t is_first_half(const sorted_set* set, const crivo_bench_key* key) {
  return rank(set, key) < set->count / 2;
}
LOOPS(first_half, is_first_half)

static uint64_t is_two(const sorted_set* set, const crivo_bench_key* key) {
  return 2 * is_member(set, key);
}
LOOPS(two, is_two)

/* Maps. */

static void* build_values(const crivo_bench_keys* keys, unsigned threads, const char** why) {
  sorted_set* set = build(keys, threads, why);
  set->values = malloc(keys->count * sizeof *set->values);
  for (size_t i = 0; i < keys->count; ++i) set->values[rank(set, &keys->keys[i])] = keys->values[i];
  return set;
}

static uint64_t value_of(const sorted_set* set, const crivo_bench_key* key) {
  const uint64_t place = rank(set, key);
  return place != set->count ? set->values[place] : 0;
}
LOOPS(value, value_of)

static uint64_t even_value_of(const sorted_set* set, const crivo_bench_key* key) {
  return value_of(set, key) & ~(uint64_t)1;
}
LOOPS(even_value, even_value_of)

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

static void lookup_ones(const void* built, const crivo_bench_keys* keys, uint64_t* answers) {
  (void)built;
  for (size_t i = 0; i < keys->count; ++i) answers[i] = 1;
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

const crivo_bench_method* crivo_bench_filters(size_t* count) {
  static const crivo_bench_method methods[] = {
      {"sorted array", build, destroy, bits, member, member_dependent, member},
      {"a quarter", build_quarter, destroy, bits_quarter, quarter, quarter_dependent, NULL},
      {"forgets", build, destroy, bits, first_half, first_half_dependent, NULL},
      {"says 2", build, destroy, bits, two, two_dependent, NULL},
      {"other absent batch", build, destroy, bits, member, member_dependent, lookup_ones},
  };
  *count = sizeof methods / sizeof *methods;
  return methods;
}

const crivo_bench_method* crivo_bench_maps(size_t* count) {
  static const crivo_bench_method methods[] = {
      {"sorted array", build_values, destroy, bits, value, value_dependent, value},
      {"even values", build_values, destroy, bits, even_value, even_value_dependent, NULL},
  };
  *count = sizeof methods / sizeof *methods;
  return methods;
}
