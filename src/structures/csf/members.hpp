/// Some of a set's keys with their values: what a filter keeps, or what goes on to the next level.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "stream/sorted_hashes.hpp"

namespace crivo::csf {

/// Keys in ascending order, 24 bytes each.
struct Members {
  std::vector<Hash128> keys;
  std::vector<std::uint64_t> values;

  void add(Hash128 key, std::uint64_t value) {
    keys.push_back(key);
    values.push_back(value);
  }

  void reserve(std::uint64_t count) {
    keys.reserve(count);
    values.reserve(count);
  }

  void append(const Members& more) {
    keys.insert(keys.end(), more.keys.begin(), more.keys.end());
    values.insert(values.end(), more.values.begin(), more.values.end());
  }

  /// They as a set, and then no longer here.
  stream::SortedHashes take() {
    return stream::SortedHashes(std::exchange(keys, {}), std::exchange(values, {}));
  }
};

}  // namespace crivo::csf
