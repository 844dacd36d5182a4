// SPDX-License-Identifier: Apache-2.0
/// Keys in memory of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "stream/key_slice.hpp"

namespace crivo::stream {

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
