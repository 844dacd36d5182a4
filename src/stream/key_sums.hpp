// SPDX-License-Identifier: Apache-2.0
/// What tells key sets apart, whatever order their keys come in.
#pragma once

#include <cstdint>

#include "stream/key_slice.hpp"

namespace crivo::stream {

/// Sums over the keys of a set, modulo 2^64: of its parts in any order they are those of the whole.
struct KeySums {
  std::uint64_t hi = 0;      ///< of the hashes
  std::uint64_t lo = 0;      ///< the same
  std::uint64_t values = 0;  ///< of value * (lo | 1): any value that changes alone changes it

  KeySums& operator+=(const KeySums& other) noexcept {
    hi += other.hi;
    lo += other.lo;
    values += other.values;
    return *this;
  }
  friend bool operator==(const KeySums&, const KeySums&) = default;
};

inline KeySums sums_of(const KeySlice& keys) noexcept {
  KeySums sums;
  for (const Hash128 hash : keys.hashes) {
    sums.hi += hash.hi;
    sums.lo += hash.lo;
  }
  for (std::size_t i = 0; i < keys.values.size(); ++i) {
    sums.values += keys.values[i] * (keys.hashes[i].lo | 1);
  }
  return sums;
}

}  // namespace crivo::stream
