/// What a static function is built from, beside its keys.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "util/hash128.hpp"

namespace crivo::retrieval {

/// Sets values[i] to the value of hashes[i], the key with index `first` + i in the sorted set:
/// below 2^width. Called from several threads at once.
using ValueSource = std::function<void(std::span<const Hash128> hashes, std::uint64_t first,
                                       std::span<std::uint64_t> values)>;

/// The values of `keys`, the first of which has index `first`, as integers wide enough for them.
template <typename Value>
std::vector<Value> values_of(std::span<const Hash128> keys, std::uint64_t first,
                             const ValueSource& source) {
  std::vector<Value> values(keys.size());
  std::array<std::uint64_t, 512> block;
  for (std::size_t i = 0; i < keys.size(); i += block.size()) {
    const std::size_t count = std::min(block.size(), keys.size() - i);
    source(keys.subspan(i, count), first + i, std::span(block).first(count));
    for (std::size_t j = 0; j < count; ++j) values[i + j] = static_cast<Value>(block[j]);
  }
  return values;
}

}  // namespace crivo::retrieval
