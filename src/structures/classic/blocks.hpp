// SPDX-License-Identifier: Apache-2.0
/// How the seeds' functions look up many keys.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "hashing/hash128.hpp"

namespace crivo::classic {

/// answers[i] = resolve(locate(hashes[i])): `locate` finds the places of a key in the tables and
/// prefetches them, for a block of keys before any is resolved, so that cache misses overlap.
template <typename Locate, typename Resolve>
void resolve_in_blocks(std::span<const Hash128> hashes, std::uint64_t* answers,
                       const Locate& locate, const Resolve& resolve) noexcept {
  constexpr std::size_t kBlock = 32;
  std::array<decltype(locate(Hash128{})), kBlock> places;
  for (std::size_t begin = 0; begin < hashes.size(); begin += kBlock) {
    const std::size_t size = std::min(kBlock, hashes.size() - begin);
    for (std::size_t i = 0; i < size; ++i) places[i] = locate(hashes[begin + i]);
    for (std::size_t i = 0; i < size; ++i) answers[begin + i] = resolve(places[i]);
  }
}

}  // namespace crivo::classic
