/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a structure joins the benchmark's table: an array of methods, each with what it builds and
 * the loops that are timed. Crivo's own algorithms and Debian's libraries are compiled into
 * crivo-bench; any other peer is a shared library, built elsewhere in any language, that exports
 * one or more of
 *
 *     const crivo_bench_method *crivo_bench_methods(size_t *count);  minimal perfect hash functions
 *     const crivo_bench_method *crivo_bench_filters(size_t *count);  approximate-membership filters
 *     const crivo_bench_method *crivo_bench_maps(size_t *count);     static functions
 *
 * and is named by `crivo-bench --peer FILE.so`. The loops are the peer's own code, so that its
 * lookups are inlined as they are in a program that uses it, and all run from forks of one process,
 * over the same keys.
 */
#ifndef CRIVO_TOOLS_BENCH_PEER_H_
#define CRIVO_TOOLS_BENCH_PEER_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An answer, of which the compiler cannot know any more that it is below 2^63. */
static inline uint64_t crivo_bench_opaque(uint64_t answer) {
  __asm__("" : "+r"(answer));
  return answer;
}

typedef struct {
  const char* data;
  size_t size;
} crivo_bench_key;

/* Keys in memory, all distinct; and, where they are a set to build over, what is asked for. */
typedef struct {
  size_t count;
  const crivo_bench_key* keys;
  /* The same keys as numbers, where each has 8 bytes (in the machine's order); else null. Random,
     so a peer may use them as hashes wherever it does so for its own users. */
  const uint64_t* numbers;
  /* Of a map: values[i] is what key i has to answer, below 2^value_bits (1 to 63); else null. */
  const uint64_t* values;
  unsigned value_bits;
  /* Of a filter: the false-positive rate not to exceed; else 0. */
  double fpr;
} crivo_bench_keys;

typedef struct {
  /* Short and unique: "PHast+ S=10". */
  const char* name;
  /* The structure of `keys` by at most `threads` threads, or null if this method cannot build it
     (too many keys, no solution found, a rate it does not have), and then *why is a static text.
     Neither the keys nor their order is kept valid afterwards. */
  void* (*build)(const crivo_bench_keys* keys, unsigned threads, const char** why);
  void (*destroy)(void* built);
  /* What a lookup needs, in bits, without the object's own constant few bytes. */
  uint64_t (*bits)(const void* built);
  /* Each key on its own, one after the other: answers[i] = the answer for key i, below 2^63. It is
     the key's rank, below the number of keys in the set; or of a filter 1 for "maybe" and 0 for
     absent; or of a map the value. */
  void (*lookup)(const void* built, const crivo_bench_keys* keys, uint64_t* answers);
  /* As `lookup`, but the next key's index is i + 1 + (crivo_bench_opaque(answer) >> 63): no lookup
     can take its key before the last has ended. (Where an answer comes of a branch that the
     processor guesses, it may work ahead upon the guess, as it does in a user's program.) */
  void (*lookup_dependent)(const void* built, const crivo_bench_keys* keys, uint64_t* answers);
  /* As `lookup`, by the peer's interface for many keys at once (batch, streaming, prefetching), or
   * null. */
  void (*lookup_batch)(const void* built, const crivo_bench_keys* keys, uint64_t* answers);
} crivo_bench_method;

#ifdef __cplusplus
}
#endif

#endif
