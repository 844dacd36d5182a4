// SPDX-License-Identifier: Apache-2.0
/// XXH64 of numbers, compiled into its caller: what split-block-bloom filters, whose hash is
/// Parquet's, are asked by. Not an interface.
#pragma once

#include <bit>
#include <cstdint>

#include "crivo/detail/export.hpp"

namespace crivo::detail {

/// XXH64 with seed 0 of a number as the key of its 8 bytes, the lowest first.
constexpr std::uint64_t xxh64(std::uint64_t key) noexcept {
  constexpr std::uint64_t kPrimes[] = {0x9e3779b185ebca87U, 0xc2b2ae3d27d4eb4fU,
                                       0x165667b19e3779f9U, 0x85ebca77c2b2ae63U,
                                       0x27d4eb2f165667c5U};
  std::uint64_t hash = kPrimes[4] + 8;
  hash ^= std::rotl(key * kPrimes[1], 31) * kPrimes[0];
  hash = std::rotl(hash, 27) * kPrimes[0] + kPrimes[3];
  hash = (hash ^ hash >> 33) * kPrimes[1];
  hash = (hash ^ hash >> 29) * kPrimes[2];
  return hash ^ hash >> 32;
}

}  // namespace crivo::detail
