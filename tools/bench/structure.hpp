// SPDX-License-Identifier: Apache-2.0
/// The calls of peer.h for a structure that is a C++ class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bench/peer.h"

namespace crivo::bench {

using Build = decltype(crivo_bench_method::build);

template <typename Structure>
void* build_of(const crivo_bench_keys* keys, unsigned threads, const char** why) {
  return Structure::build(*keys, threads, *why).release();
}

/// The method named `name` (a text that lives as long as the program) of a class that has
///
///     static std::unique_ptr<Structure> build(const crivo_bench_keys&, unsigned threads,
///                                             const char*& why);
///     std::uint64_t bits() const;
///     template <typename Use> void with_lookup(const crivo_bench_keys&, Use&& use) const;
///
/// each as in peer.h; with_lookup() calls use(f) for an f(i) that is the answer for key i. Of a
/// class that has look_up_batch(keys, answers) too, that is the batch. Another `build` may make the
/// object; it then needs none of its own.
template <typename Structure>
crivo_bench_method method_of(const char* name, Build build = build_of<Structure>) {
  static constexpr bool kHasBatch = requires {
    &Structure::look_up_batch;
  };
  struct Calls {
    static const Structure& of(const void* built) { return *static_cast<const Structure*>(built); }
    static void destroy(void* built) { delete static_cast<Structure*>(built); }
    static std::uint64_t bits(const void* built) { return of(built).bits(); }
    static void lookup(const void* built, const crivo_bench_keys* keys, std::uint64_t* answers) {
      of(built).with_lookup(*keys, [&](auto&& answer) {
        for (std::size_t i = 0; i < keys->count; ++i) answers[i] = answer(i);
      });
    }
    static void lookup_dependent(const void* built, const crivo_bench_keys* keys,
                                 std::uint64_t* answers) {
      of(built).with_lookup(*keys, [&](auto&& answer) {
        for (std::size_t i = 0; i < keys->count;) {
          const std::uint64_t found = crivo_bench_opaque(answer(i));
          answers[i] = found;
          i += 1 + (found >> 63);
        }
      });
    }
    static void lookup_batch(const void* built, const crivo_bench_keys* keys,
                             std::uint64_t* answers) {
      if constexpr (kHasBatch) of(built).look_up_batch(*keys, answers);
    }
  };
  return {name,
          build,
          Calls::destroy,
          Calls::bits,
          Calls::lookup,
          Calls::lookup_dependent,
          kHasBatch ? Calls::lookup_batch : nullptr};
}

}  // namespace crivo::bench
