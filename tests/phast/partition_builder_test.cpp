// SPDX-License-Identifier: Apache-2.0
/// A partition's keys in slices give what all of them at once do.
#include "structures/phast/build/partition_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "support/hashes.hpp"

namespace crivo::phast {
namespace {

PartitionResult in_slices(PartitionBuilder& builder, std::span<const Hash128> keys,
                          std::size_t length) {
  builder.begin(0, keys.size());
  while (!keys.empty()) {
    // What was handed over may go at once.
    const auto some = keys.first(std::min(length, keys.size()));
    std::vector<Hash128> slice(some.begin(), some.end());
    builder.add(slice);
    builder.add({});
    std::ranges::fill(slice, Hash128{});
    keys = keys.subspan(some.size());
  }
  return builder.finish();
}

void expect_slices_give_it(const Parameters& parameters, std::uint64_t planned,
                           std::span<const Hash128> keys, std::size_t length) {
  SCOPED_TRACE(length);
  const LevelShape shape = level_shape(parameters, planned);
  ASSERT_EQ(shape.partition_bits, 0U);
  PartitionBuilder builder(parameters, shape);
  const PartitionResult at_once = builder.build(0, keys);
  const PartitionResult sliced = in_slices(builder, keys, length);
  EXPECT_EQ(sliced.keys, keys.size());
  EXPECT_TRUE(sliced.seeds == at_once.seeds);
  EXPECT_TRUE(sliced.holes == at_once.holes);
  EXPECT_TRUE(sliced.bumped == at_once.bumped);
}

TEST(PhastPartitionBuilder, SlicesOfAnyLength) {
  for (const std::uint64_t count : {0U, 1U, 65U, 1000U, 30'000U}) {
    SCOPED_TRACE(count);
    std::vector<Hash128> keys = test::random_hashes(count);
    std::ranges::sort(keys);
    for (const std::size_t length : {1U, 7U, 999U, 4096U, 29'999U}) {
      expect_slices_give_it(kFast, std::max<std::uint64_t>(count, 65), keys, length);
      if (length != 1)
        expect_slices_give_it(kCompact[0], std::max<std::uint64_t>(count, 65), keys, length);
    }
  }
}

TEST(PhastPartitionBuilder, FarMoreKeysThanPlanned) {
  std::vector<Hash128> keys = test::random_hashes(20'000);
  std::ranges::sort(keys);
  expect_slices_give_it(kFast, 1000, keys, 3000);
}

TEST(PhastPartitionBuilder, KeysOfFewBuckets) {
  std::vector<Hash128> keys = test::random_hashes(3000);
  for (Hash128& key : keys) key.hi = key.hi >> 4 | std::uint64_t{9} << 60;
  std::ranges::sort(keys);
  expect_slices_give_it(kFast, 30'000, keys, 100);
}

}  // namespace
}  // namespace crivo::phast
