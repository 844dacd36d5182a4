// SPDX-License-Identifier: Apache-2.0
/// What the dictionaries of this folder have in common.
#pragma once

#include <cstdint>

#include "hashing/hash_family.hpp"
#include "structures/classic/range.hpp"

namespace crivo::experiments {

/// Where the addresses of keys come from.
struct Hashing {
  const hashing::SeededHash& hash;  ///< outlives the dictionary; its first word is h, its second h2
  classic::Range range;
};

/// The start of no key of a KeySet: marks an entry that is free.
inline constexpr std::uint32_t kNoKey = UINT32_MAX;

/// The outcome of a search.
struct Sought {
  bool found = false;
  std::uint32_t collisions =
      0;  ///< other keys that the search met, and compared with the one sought
};

/// The size m of a table for n keys at a load of n / m, rounded up, and at least `least`. Throws
/// Error(usage) unless 0 < load and m < 2^32 - 1.
std::uint32_t addresses_for(std::uint64_t n, double load, std::uint64_t least);

}  // namespace crivo::experiments
