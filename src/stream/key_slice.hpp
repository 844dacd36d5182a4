// SPDX-License-Identifier: Apache-2.0
/// A run of keys that stand one after the other in a key set: a view, and keys in memory of their
/// own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "hashing/hash128.hpp"

namespace crivo::stream {

/// Hashes in ascending order, with a value each where the set has values, and where they stand in
/// the set. A view.
struct KeySlice {
  std::span<const Hash128> hashes;
  std::span<const std::uint64_t> values;  ///< values[i] of hashes[i]; empty where there are none
  std::uint64_t first = 0;                ///< so many keys of the set come before

  std::uint64_t size() const noexcept { return hashes.size(); }

  /// The `count` keys from the one at `begin` on.
  KeySlice part(std::uint64_t begin, std::uint64_t count) const noexcept {
    return {hashes.subspan(begin, count), values.empty() ? values : values.subspan(begin, count),
            first + begin};
  }

  /// Partition `index` of 2^bits of the whole set (`bits` at most 63), all of whose keys are here.
  /// O(log size).
  KeySlice partition(unsigned bits, std::uint64_t index) const noexcept {
    if (bits == 0) return *this;
    const auto before = [&](std::uint64_t prefix) -> std::uint64_t {
      if (prefix >> bits != 0) return hashes.size();
      const auto at = std::ranges::lower_bound(hashes, Hash128{prefix << (64 - bits), 0});
      return static_cast<std::uint64_t>(at - hashes.begin());
    };
    const std::uint64_t begin = before(index);
    return part(begin, before(index + 1) - begin);
  }
};

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

/// Hashes in ascending order with a value each, or without any: 24 or 16 bytes a key.
struct OwnedKeys {
  std::vector<Hash128> hashes;
  std::vector<std::uint64_t> values;

  std::uint64_t size() const noexcept { return hashes.size(); }
  /// As the first keys of a set.
  KeySlice slice() const noexcept { return {hashes, values, 0}; }

  void reserve(std::uint64_t count) {
    hashes.reserve(count);
    values.reserve(count);
  }
  void add(const Hash128& hash, std::uint64_t value) {
    hashes.push_back(hash);
    values.push_back(value);
  }
  void append(const KeySlice& more) {
    hashes.insert(hashes.end(), more.hashes.begin(), more.hashes.end());
    values.insert(values.end(), more.values.begin(), more.values.end());
  }
};

}  // namespace crivo::stream
