// SPDX-License-Identifier: Apache-2.0
// Seeds of a bucket's tree are found, the same by every kernel, or given up on.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "structures/consensus/build/part.hpp"
#include "structures/consensus/walk.hpp"
#include "support/hashes.hpp"

namespace crivo::consensus {
namespace {

class ConsensusTree : public testing::TestWithParam<std::size_t> {
 protected:
  const Parameters& parameters() const { return kEfforts[GetParam()]; }
  std::vector<std::uint64_t> random_materials(std::uint64_t salt) const {
    std::vector<std::uint64_t> materials;
    for (const Hash128& hash : test::random_hashes(parameters().shape.keys(), salt)) {
      materials.push_back(hash.lo);
    }
    return materials;
  }
};
INSTANTIATE_TEST_SUITE_P(Efforts, ConsensusTree, testing::Range<std::size_t>(0, kEfforts.size()));

TEST_P(ConsensusTree, TheStringHoldsItsFirstWindow) {
  const Shape& shape = parameters().shape;
  EXPECT_EQ(shape.tree_bits() % 8, 0U);
  for (unsigned level = 0; level < shape.levels(); ++level) {
    EXPECT_LE(shape.areas[level], kWindowBits << level);
  }
  EXPECT_GT(shape.areas[0], parameters().free_bits);
  // No window but the first begins before the string.
  EXPECT_GE(shape.areas[0] + shape.begin(1, 1), kWindowBits);
}

TEST_P(ConsensusTree, SendsTwoKeysToEachPair) {
  const Shape& shape = parameters().shape;
  TreeSearch search(shape, parameters().free_bits, kernel(base::cpu()));
  for (std::uint64_t salt = 0; salt < 3; ++salt) {
    const auto materials = random_materials(salt);
    base::Bytes tree(shape.tree_bits() / 8 + 7);
    ASSERT_TRUE(search.find(materials, tree.data()));
    const Trees trees(shape, tree);
    const std::vector<const std::byte*> trees_of_keys(materials.size(), tree.data());
    std::vector<std::uint32_t> pairs(materials.size());
    trees.pairs(trees_of_keys.data(), materials.data(), materials.size(), pairs.data());
    std::vector<unsigned> keys(shape.keys() / 2);
    for (std::size_t i = 0; i < materials.size(); ++i) {
      ASSERT_LT(pairs[i], keys.size());
      ASSERT_EQ(pairs[i], trees.pair(tree.data(), materials[i]));
      ++keys[pairs[i]];
    }
    EXPECT_EQ(std::ranges::count(keys, 2U), static_cast<std::ptrdiff_t>(keys.size()));
    for (std::size_t at = 0; at < materials.size(); ++at) {
      ASSERT_EQ(pairs[search.order()[at]], at / 2);
    }
  }
}

TEST_P(ConsensusTree, IsTheSameFromEveryKernel) {
  const Shape& shape = parameters().shape;
  const auto materials = random_materials(5);
  base::Bytes portable(shape.tree_bits() / 8);
  base::Bytes own(portable.size());
  ASSERT_TRUE(TreeSearch(shape, parameters().free_bits, kernel(base::Cpu::portable))
                  .find(materials, portable.data()));
  ASSERT_TRUE(
      TreeSearch(shape, parameters().free_bits, kernel(base::cpu())).find(materials, own.data()));
  EXPECT_EQ(portable, own);
}

TEST_P(ConsensusTree, GivesUpOnEqualKeys) {
  const Shape& shape = parameters().shape;
  TreeSearch search(shape, parameters().free_bits, kernel(base::cpu()));
  base::Bytes tree(shape.tree_bits() / 8);
  EXPECT_FALSE(search.find(std::vector<std::uint64_t>(shape.keys(), 12345), tree.data()));
  // And is none the worse for it.
  EXPECT_TRUE(search.find(random_materials(1), tree.data()));
}

/// Three keys of one material fit in no pair, and no node but those of four keys can tell.
TEST(ConsensusTreeSearch, GivesUpOnAFewEqualKeys) {
  const Parameters& parameters = kEfforts.front();
  TreeSearch search(parameters.shape, parameters.free_bits, kernel(base::cpu()));
  std::vector<std::uint64_t> materials;
  for (const Hash128& hash : test::random_hashes(parameters.shape.keys())) {
    materials.push_back(hash.lo);
  }
  materials[7] = materials[100] = materials[200];
  base::Bytes tree(parameters.shape.tree_bits() / 8);
  EXPECT_FALSE(search.find(materials, tree.data()));
}

}  // namespace
}  // namespace crivo::consensus
