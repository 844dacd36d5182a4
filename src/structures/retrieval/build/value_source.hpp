// SPDX-License-Identifier: Apache-2.0
/// The source of a static function, beside its keys.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hashing/hash128.hpp"
#include "stream/key_slice.hpp"

namespace crivo::retrieval {

/// Sets values[i] to the value of hashes[i], the key with index `first` + i in the sorted set:
/// below 2^width. Called from several threads at once. Where there is none, keys have the values
/// that they bring along.
using ValueSource = std::function<void(std::span<const Hash128> hashes, std::uint64_t first,
                                       std::span<std::uint64_t> values)>;

/// Calls visit(i, value) for the value of each of `keys`, i from 0.
template <typename Visit>
void for_each_value(const stream::KeySlice& keys, const ValueSource& source, Visit&& visit) {
  if (!source) {
    for (std::size_t i = 0; i < keys.size(); ++i) visit(i, keys.values[i]);
    return;
  }
  std::array<std::uint64_t, 512> block;
  for (std::size_t i = 0; i < keys.size(); i += block.size()) {
    const std::size_t count = std::min(block.size(), keys.hashes.size() - i);
    source(keys.hashes.subspan(i, count), keys.first + i, std::span(block).first(count));
    for (std::size_t j = 0; j < count; ++j) visit(i + j, block[j]);
  }
}

/// The values of `keys`, as integers wide enough for them.
template <typename Value>
std::vector<Value> values_of(const stream::KeySlice& keys, const ValueSource& source) {
  std::vector<Value> values(keys.size());
  for_each_value(keys, source, [&](std::size_t i, std::uint64_t value) {
    values[i] = static_cast<Value>(value);
  });
  return values;
}

}  // namespace crivo::retrieval
