// SPDX-License-Identifier: Apache-2.0
/// Random hashes for tests of structures that need no key text.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/arithmetic.hpp"
#include "hashing/hash128.hpp"
#include "stream/sorted_hashes.hpp"

namespace crivo::test {

/// `count` distinct pseudo-random hashes; a different `salt` gives a set with none in common.
inline std::vector<Hash128> random_hashes(std::uint64_t count, std::uint64_t salt = 0) {
  std::vector<Hash128> hashes(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    hashes[i] = {base::mix64((salt << 40) + 2 * i + 1), base::mix64((salt << 40) + 2 * i + 2)};
  }
  return hashes;
}

/// random_hashes() in ascending order.
inline std::vector<Hash128> ascending_hashes(std::uint64_t count) {
  const auto sorted = stream::SortedHashes::from_unsorted(random_hashes(count));
  const std::span<const Hash128> all = sorted.all().hashes;
  return {all.begin(), all.end()};
}

/// Sets of hashes that no hash function yields but a caller could give.
inline std::vector<std::vector<Hash128>> hostile_sets(std::uint64_t count) {
  std::vector<std::vector<Hash128>> sets(6, random_hashes(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    sets[0][i].hi = 0x0123456789abcdefU;         // one start
    sets[1][i].lo = 0x0123456789abcdefU;         // one row of coefficients
    sets[2][i].hi >>= 20;                        // one partition, one bucket
    sets[3][i].hi |= ~std::uint64_t{0} << 44;    // likewise the last
    sets[4][i] = {i, i};                         // little in either half
    sets[5][i] = {i << 44 | i >> 20, ~i << 32};  // counters in the high bits
  }
  return sets;
}

}  // namespace crivo::test
