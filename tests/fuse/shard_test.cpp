// SPDX-License-Identifier: Apache-2.0
// Shapes at all sizes, and shards whose first graphs cannot be solved.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "structures/fuse/build/builder.hpp"
#include "structures/fuse/table.hpp"
#include "support/hashes.hpp"

namespace crivo::fuse {
namespace {

using test::random_hashes;

TEST(Shape, KeepsTheBoundFromAMillionKeysOn) {
  for (double n = 1e6; n < 1e13; n *= 1.003) {
    const auto keys = static_cast<std::uint64_t>(n);
    const unsigned bits = shard_bits(keys);
    const double mean = n / std::ldexp(1.0, static_cast<int>(bits));
    ASSERT_LE(mean, 800'001.0);
    for (const unsigned arity : {3U, 4U}) {
      const Shape shape = choose_shape(keys, arity);
      const std::uint64_t segments = choose_segments(keys, arity, keys >> bits);
      ASSERT_LE(static_cast<double>(shape.slots(segments)) / mean, arity == 4 ? 1.085 : 1.16)
          << keys;
    }
  }
}

/// What a shard of several takes follows from its own keys alone, without room for a fuller one.
TEST(Shape, AShardHasTheSegmentsThatItsKeysNeed) {
  constexpr std::uint64_t kKeys = 10'000'000;
  for (const unsigned arity : {3U, 4U}) {
    const Shape shape = choose_shape(kKeys, arity);
    ASSERT_EQ(shape.shard_bits, 4U);
    const std::uint64_t mean = kKeys / shape.shards();
    EXPECT_EQ(choose_segments(kKeys, arity, 0), arity);
    EXPECT_GT(choose_segments(kKeys, arity, mean + 4000), choose_segments(kKeys, arity, mean));
    EXPECT_LT(shape.starts(choose_segments(kKeys, arity, 2 * mean)),
              2 * shape.starts(choose_segments(kKeys, arity, mean)) + 1);
  }
}

TEST(Shape, SegmentsAreWholeBytesForEveryWidth) {
  for (std::uint64_t n = kSmallSetKeys; n <= kMaxShardKeys; n += 1 + n / 50) {
    for (const unsigned arity : {3U, 4U}) {
      const Shape shape = choose_shape(n, arity);
      const std::uint64_t segments = choose_segments(n, arity, n);
      EXPECT_EQ(shape.arity, arity);
      EXPECT_GE(shape.segment_bits, 7U);
      EXPECT_LE(shape.segment_bits, 13U);
      EXPECT_GE(segments, arity);
      EXPECT_LT(segments, std::uint64_t{1} << (kSegmentCountBits - 1));  // though it grow
      EXPECT_GT(shape.slots(segments), n);
      EXPECT_EQ(shape.starts(segments), (segments - arity + 1) << shape.segment_bits);
    }
  }
}

template <typename Value>
void expect_solved(const std::vector<Hash128>& keys, const Shape& shape, unsigned width,
                   const ShardImage& image, const std::vector<Value>& values) {
  base::FieldWriter section;
  section.bytes(encode({width, keys.size(), shape})).bytes(image.slots);
  section.u32(encode_shard(image.segments, image.seed)).zeros(kEndPadding);
  const Table table(base::ByteView{section.view()});
  for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(table.value(keys[i]), values[i]);
}

TEST(Shard, TakesAnotherSeedWhereAGraphCannotBeSolved) {
  constexpr std::uint64_t kKeys = 20'000;
  // About every second graph of so few slots can be solved.
  const std::pair<Shape, std::uint64_t> shapes[] = {{{4, 0, 8}, 90}, {{3, 0, 9}, 46}};
  for (const auto& [shape, segments] : shapes) {
    ShardBuilder<std::uint16_t> builder(shape, 11);
    unsigned first_seeds = 0;
    unsigned later_seeds = 0;
    for (std::uint64_t salt = 0; salt < 24; ++salt) {
      auto keys = random_hashes(kKeys, salt);
      std::ranges::sort(keys);
      std::vector<std::uint16_t> values(kKeys);
      for (std::size_t i = 0; i < kKeys; ++i) values[i] = static_cast<std::uint16_t>(i * 7 & 2047);
      const auto image = builder.build(keys, values, segments);
      ASSERT_TRUE(image);
      if (image->segments != segments) continue;
      ++(image->seed == 0 ? first_seeds : later_seeds);
      expect_solved(keys, shape, 11, *image, values);
    }
    EXPECT_GT(first_seeds, 0U) << shape.arity;
    EXPECT_GT(later_seeds, 0U) << shape.arity;
  }
}

TEST(Shard, GivesUpAfterItsSeeds) {
  constexpr std::uint64_t kKeys = 5000;
  auto keys = random_hashes(kKeys);
  std::ranges::sort(keys);
  const std::vector<std::uint8_t> values(kKeys);
  // Fewer slots than keys, though it grow.
  ShardBuilder<std::uint8_t> builder({4, 0, 8}, 8);
  EXPECT_FALSE(builder.build(keys, values, 12));
}

TEST(Shard, GrowsWhereNoSeedWorks) {
  constexpr std::uint64_t kKeys = 20'000;
  auto keys = random_hashes(kKeys);
  std::ranges::sort(keys);
  const std::vector<std::uint8_t> values(kKeys, 5);
  for (const unsigned arity : {3U, 4U}) {
    const Shape shape = choose_shape(kKeys, arity);
    const std::uint64_t few = choose_segments(kKeys, arity, kKeys) * 9 / 10;
    const auto image = ShardBuilder<std::uint8_t>(shape, 3).build(keys, values, few);
    ASSERT_TRUE(image);
    EXPECT_GT(image->segments, few);
    expect_solved(keys, shape, 3, *image, values);
  }
}

TEST(Shard, CountsThatRunOverAreNoSolution) {
  // All keys share their slots, and more than a slot can count.
  for (const std::uint64_t count : {1024U, 2048U, 2049U, 4097U}) {
    const std::vector<Hash128> keys(count, Hash128{1, 2});
    const std::vector<std::uint8_t> values(count);
    ShardBuilder<std::uint8_t> builder(choose_shape(count, 4), 8);
    EXPECT_FALSE(builder.build(keys, values, choose_segments(count, 4, count)));
  }
}

TEST(Shard, AnImageDoesNotDependOnWhatWasBuiltBefore) {
  const Shape shape = choose_shape(30'000, 4);
  ShardBuilder<std::uint8_t> used(shape, 5);
  for (const std::uint64_t count : {30'000U, 0U, 1U, 29'000U, 30'000U}) {
    auto keys = random_hashes(count, count + 1);
    std::ranges::sort(keys);
    std::vector<std::uint8_t> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(i % 32);
    const std::uint64_t segments = choose_segments(30'000, 4, count);
    const auto image = used.build(keys, values, segments);
    const auto fresh = ShardBuilder<std::uint8_t>(shape, 5).build(keys, values, segments);
    ASSERT_TRUE(image && fresh);
    EXPECT_EQ(image->seed, fresh->seed);
    EXPECT_EQ(image->segments, fresh->segments);
    EXPECT_EQ(image->slots, fresh->slots);
  }
}

}  // namespace
}  // namespace crivo::fuse
