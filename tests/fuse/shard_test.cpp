// Shapes at all sizes, and shards whose first graphs cannot be solved.
#include "fuse/shard.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "fuse/header.hpp"
#include "fuse/table.hpp"
#include "support/hashes.hpp"

namespace crivo::fuse {
namespace {

using test::random_hashes;

TEST(Shape, KeepsTheBoundFromAMillionKeysOn) {
  for (double n = 1e6; n < 1e13; n *= 1.003) {
    const auto keys = static_cast<std::uint64_t>(n);
    const double shards = std::ldexp(1.0, static_cast<int>(shard_bits(keys)));
    // Fuller than the fullest shard that may be expected.
    const double mean = n / shards;
    const double largest =
        mean + (shards == 1 ? 0 : 1 + std::sqrt(2 * std::log(shards))) * std::sqrt(mean);
    const Shape four = choose_shape(keys, 4, static_cast<std::uint64_t>(largest));
    const Shape three = choose_shape(keys, 3, static_cast<std::uint64_t>(largest));
    ASSERT_LE(static_cast<double>(four.slots()) / mean, 1.085) << keys;
    ASSERT_LE(static_cast<double>(three.slots()) / mean, 1.16) << keys;
    ASSERT_LE(largest, static_cast<double>(kMaxShardKeys));
  }
}

TEST(Shape, SegmentsAreWholeBytesForEveryWidth) {
  for (std::uint64_t n = kSmallSetKeys; n <= kMaxShardKeys; n += 1 + n / 50) {
    for (const unsigned arity : {3U, 4U}) {
      const Shape shape = choose_shape(n, arity, n);
      EXPECT_EQ(shape.arity, arity);
      EXPECT_GE(shape.segment_bits, 8U);
      EXPECT_LE(shape.segment_bits, 13U);
      EXPECT_GE(shape.segments, arity);
      EXPECT_GT(shape.slots(), n);
      EXPECT_EQ(shape.starts(), (shape.segments - arity + 1) << shape.segment_bits);
    }
  }
}

template <typename Value>
void expect_solved(const std::vector<Hash128>& keys, const Shape& shape, unsigned width,
                   const ShardImage& image, const std::vector<Value>& values) {
  file::FieldWriter section;
  section.bytes(encode({width, keys.size(), shape})).bytes(image.slots);
  section.u8(static_cast<std::uint8_t>(image.seed)).zeros(kEndPadding);
  const Table table(section.view());
  for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(table.value(keys[i]), values[i]);
}

TEST(Shard, TakesAnotherSeedWhereAGraphCannotBeSolved) {
  constexpr std::uint64_t kKeys = 20'000;
  // About every second graph of so few slots can be solved.
  const Shape shapes[] = {{4, 0, 8, 90}, {3, 0, 9, 46}};
  for (const Shape& shape : shapes) {
    ShardBuilder<std::uint16_t> builder(shape, 11);
    unsigned first_seeds = 0;
    unsigned later_seeds = 0;
    for (std::uint64_t salt = 0; salt < 24; ++salt) {
      auto keys = random_hashes(kKeys, salt);
      std::ranges::sort(keys);
      std::vector<std::uint16_t> values(kKeys);
      for (std::size_t i = 0; i < kKeys; ++i) values[i] = static_cast<std::uint16_t>(i * 7 & 2047);
      const auto image = builder.build(keys, values);
      if (!image) continue;
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
  // Fewer slots than keys.
  ShardBuilder<std::uint8_t> builder({4, 0, 8, 19}, 8);
  EXPECT_FALSE(builder.build(keys, values));
}

TEST(Shard, CountsThatRunOverAreNoSolution) {
  // All keys share their slots, and more than a slot can count.
  for (const std::uint64_t count : {1024U, 2048U, 2049U, 4097U}) {
    const std::vector<Hash128> keys(count, Hash128{1, 2});
    const std::vector<std::uint8_t> values(count);
    ShardBuilder<std::uint8_t> builder(choose_shape(count, 4, count), 8);
    EXPECT_FALSE(builder.build(keys, values));
  }
}

TEST(Shard, AnImageDoesNotDependOnWhatWasBuiltBefore) {
  const Shape shape = choose_shape(30'000, 4, 30'000);
  ShardBuilder<std::uint8_t> used(shape, 5);
  for (const std::uint64_t count : {30'000U, 0U, 1U, 29'000U, 30'000U}) {
    auto keys = random_hashes(count, count + 1);
    std::ranges::sort(keys);
    std::vector<std::uint8_t> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(i % 32);
    const auto image = used.build(keys, values);
    const auto fresh = ShardBuilder<std::uint8_t>(shape, 5).build(keys, values);
    ASSERT_TRUE(image && fresh);
    EXPECT_EQ(image->seed, fresh->seed);
    EXPECT_EQ(image->slots, fresh->slots);
  }
}

}  // namespace
}  // namespace crivo::fuse
