/* SPDX-License-Identifier: Apache-2.0 */
/* A peer for the tests of crivo-bench that has filters only: one that takes every key for one of
 * its set. */
#include <stdlib.h>

#include "bench/peer.h"

static void* build(const crivo_bench_keys* keys, unsigned threads, const char** why) {
  (void)keys;
  (void)threads;
  (void)why;
  return malloc(1);
}

static uint64_t bits(const void* built) {
  (void)built;
  return 8;
}

static void always(const void* built, const crivo_bench_keys* keys, uint64_t* answers) {
  (void)built;
  for (size_t i = 0; i < keys->count; ++i) answers[i] = crivo_bench_opaque(1);
}

const crivo_bench_method* crivo_bench_filters(size_t* count) {
  static const crivo_bench_method method = {"always", build, free, bits, always, always, NULL};
  *count = 1;
  return &method;
}
