/// Reading a value source block by block.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "retrieval/value_source.hpp"
#include "util/hash128.hpp"

namespace crivo::coded {

/// Calls visit(i, value) for the value of each of `keys`, the first of which has index `first`.
template <typename Visit>
void for_each_value(std::span<const Hash128> keys, std::uint64_t first,
                    const retrieval::ValueSource& source, Visit&& visit) {
  std::array<std::uint64_t, 512> block;
  for (std::size_t i = 0; i < keys.size(); i += block.size()) {
    const std::size_t count = std::min(block.size(), keys.size() - i);
    source(keys.subspan(i, count), first + i, std::span(block).first(count));
    for (std::size_t j = 0; j < count; ++j) visit(i + j, block[j]);
  }
}

}  // namespace crivo::coded
