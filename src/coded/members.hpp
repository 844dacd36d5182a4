/// Some of a set's keys with their values: what a filter keeps, or what goes on to the next level.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "keys/sorted_hashes.hpp"
#include "retrieval/value_source.hpp"

namespace crivo::coded {

/// Keys in ascending order, 24 bytes each.
struct Members {
  std::vector<Hash128> keys;
  std::vector<std::uint64_t> values;

  void add(Hash128 key, std::uint64_t value) {
    keys.push_back(key);
    values.push_back(value);
  }

  void append(const Members& more) {
    keys.insert(keys.end(), more.keys.begin(), more.keys.end());
    values.insert(values.end(), more.values.begin(), more.values.end());
  }

  /// The keys as a set of their own, which are then no longer here.
  keys::SortedHashes take_hashes() {
    keys::HashArray array(keys.size());
    std::ranges::copy(keys, array.data());
    keys = {};
    const std::uint64_t size = array.size();
    return {std::move(array), size};
  }

  /// The values, by index in the set.
  retrieval::ValueSource source() const {
    return [this](std::span<const Hash128>, std::uint64_t first, std::span<std::uint64_t> block) {
      std::ranges::copy(std::span(values).subspan(first, block.size()), block.begin());
    };
  }
};

}  // namespace crivo::coded
