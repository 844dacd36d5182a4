// SPDX-License-Identifier: Apache-2.0
/// How the seeds' functions look up many keys.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/arithmetic.hpp"
#include "hashing/hash128.hpp"

namespace crivo::classic {

/// Four values of 32 bits: one of each of four functions of a key.
using Words = std::array<std::uint32_t, 4>;

inline Words split(Hash128 hash) noexcept {
  return {static_cast<std::uint32_t>(hash.hi >> 32), static_cast<std::uint32_t>(hash.hi),
          static_cast<std::uint32_t>(hash.lo >> 32), static_cast<std::uint32_t>(hash.lo)};
}

/// The four functions number `salt` of a key. With salt 0 they are the key hash itself, which is
/// four evaluations of it under different weights. An algorithm that must choose its functions
/// again takes the next salt: four words of all 128 bits, mixed by a permutation of three rounds,
/// so that keys which any of the four evaluations tells apart are apart. What the range makes of
/// the words, its unevenness included, is the same for every salt.
inline Words words(Hash128 hash, std::uint32_t salt) noexcept {
  if (salt == 0) return split(hash);
  const std::uint64_t step = salt * 0x9e3779b97f4a7c15U;
  hash.lo ^= base::mix64(hash.hi + step);
  hash.hi ^= base::mix64(hash.lo + step);
  hash.lo ^= base::mix64(hash.hi + step);
  return split(hash);
}

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
