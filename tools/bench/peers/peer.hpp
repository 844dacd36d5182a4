// SPDX-License-Identifier: Apache-2.0
/// What the wrappers of C++ libraries share: rows of crivo-bench for structures whose keys are
/// 64-bit hashes. A number is its own hash, as its library's users have it; a text is hashed by
/// XXH3-64, inlined, whose last word a library's own mixing then sees.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/peer.h"

namespace peer {

inline std::uint64_t hash_of(const crivo_bench_key& key) {
  return XXH3_64bits(key.data, key.size);
}

/// The hashes of a set's keys.
inline std::vector<std::uint64_t> hashes_of(const crivo_bench_keys& keys) {
  std::vector<std::uint64_t> hashes(keys.count);
  for (std::size_t i = 0; i < keys.count; ++i) {
    hashes[i] = keys.numbers != nullptr ? keys.numbers[i] : hash_of(keys.keys[i]);
  }
  return hashes;
}

/// A row for a class with
///
///     Structure(std::vector<std::uint64_t> hashes, const crivo_bench_keys& asked);  may throw
///     std::uint64_t bits() const;
///     std::uint64_t answer(std::uint64_t hash) const;
///     static const char* refuses(const crivo_bench_keys& asked);  why, or null
template <typename Structure>
struct Method {
  static const Structure& of(const void* built) { return *static_cast<const Structure*>(built); }

  static void* build(const crivo_bench_keys* keys, unsigned, const char** why) {
    if (const char* refusal = Structure::refuses(*keys)) {
      *why = refusal;
      return nullptr;
    }
    return new Structure(hashes_of(*keys), *keys);
  }
  static void destroy(void* built) { delete static_cast<Structure*>(built); }
  static std::uint64_t bits(const void* built) { return of(built).bits(); }

  static void lookup(const void* built, const crivo_bench_keys* keys, std::uint64_t* answers) {
    const Structure& structure = of(built);
    if (keys->numbers != nullptr) {
      for (std::size_t i = 0; i < keys->count; ++i) answers[i] = structure.answer(keys->numbers[i]);
    } else {
      for (std::size_t i = 0; i < keys->count; ++i) {
        answers[i] = structure.answer(hash_of(keys->keys[i]));
      }
    }
  }
  static void lookup_dependent(const void* built, const crivo_bench_keys* keys,
                               std::uint64_t* answers) {
    const Structure& structure = of(built);
    for (std::size_t i = 0; i < keys->count;) {
      answers[i] = crivo_bench_opaque(
          structure.answer(keys->numbers != nullptr ? keys->numbers[i] : hash_of(keys->keys[i])));
      i += 1 + (answers[i] >> 63);
    }
  }

  static constexpr crivo_bench_method row(const char* name) {
    return {name, build, destroy, bits, lookup, lookup_dependent, nullptr};
  }
};

/// "Only 1 in 256" of libraries whose fingerprints are bytes.
inline const char* refuses_but_a_byte(const crivo_bench_keys& asked) {
  return asked.fpr < 1.0 / 257 ? "fingerprints of a byte only" : nullptr;
}

}  // namespace peer
