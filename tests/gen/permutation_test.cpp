// SPDX-License-Identifier: Apache-2.0
// Permutations of ranges hit every value once, and scatter neighbours.

#include "gen/permutation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace crivo::gen {
namespace {

TEST(Permutation, HitsEveryValueOnce) {
  for (const std::uint64_t n : {1, 2, 3, 36, 63, 64, 65, 255, 256, 257, 11'500, 46'656, 1 << 20}) {
    for (const std::uint64_t key : {0, 1, 77}) {
      const Permutation permutation(n, key);
      ASSERT_EQ(permutation.size(), n);
      std::vector<bool> seen(n);
      for (std::uint64_t x = 0; x < n; ++x) {
        const std::uint64_t y = permutation(x);
        ASSERT_LT(y, n);
        ASSERT_FALSE(seen[y]) << "n " << n << ", key " << key << ", x " << x;
        seen[y] = true;
      }
    }
  }
}

TEST(Permutation, OtherKeysGiveOtherOrders) {
  const Permutation one(1 << 20, 1);
  const Permutation other(1 << 20, 2);
  unsigned same = 0;
  for (std::uint64_t x = 0; x < 10'000; ++x) same += one(x) == other(x);
  EXPECT_LT(same, 10U);
}

// Neighbours must scatter over the whole range: the top bits choose a URL's host, the low ones too.
TEST(Permutation, NeighboursScatter) {
  const Permutation permutation(std::uint64_t{1} << 40, 5);
  std::vector<unsigned> high(64);
  std::vector<unsigned> low(64);
  for (std::uint64_t x = 0; x < 64'000; ++x) {
    ++high[permutation(x) >> 34];
    ++low[permutation(x) & 63];
  }
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_NEAR(high[i], 1000, 200);
    EXPECT_NEAR(low[i], 1000, 200);
  }
}

}  // namespace
}  // namespace crivo::gen
