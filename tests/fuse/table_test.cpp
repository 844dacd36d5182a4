// SPDX-License-Identifier: Apache-2.0
// The static function: what is built in comes out, whatever the number of keys, the width and the
// arity.
#include "structures/fuse/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "crivo/error.hpp"
#include "support/errors.hpp"
#include "support/fuses.hpp"
#include "support/hashes.hpp"

namespace crivo::fuse {
namespace {

using test::build_fuse;
using test::random_hashes;
using test::test_value;

void expect_values(const stream::SortedHashes& hashes, unsigned width, unsigned arity) {
  const base::Bytes section = build_fuse(hashes, width, arity);
  const Table table(base::ByteView{section});
  EXPECT_EQ(table.size(), hashes.size());
  EXPECT_EQ(table.width(), width);
  const auto keys = hashes.partition(0, 0);
  std::vector<std::uint64_t> batch(keys.size());
  table.values(keys, batch.data());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(table.value(keys[i]), test_value(i, width)) << i << " of " << keys.size();
    ASSERT_EQ(batch[i], test_value(i, width)) << i << " of " << keys.size();
  }
}

TEST(Table, ReturnsTheValuesOfSmallSets) {
  for (std::uint64_t n = 0; n <= 300; ++n) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n, n));
    for (const unsigned width : {1U, 8U, 24U, 64U}) expect_values(hashes, width, 3 + n % 2);
  }
}

TEST(Table, ReturnsTheValuesAtTheEdgesOfTheShapes) {
  for (const std::uint64_t n : {1000U, 4'095U, 4'096U, 4'097U, 6'999U, 7'000U, 11'500U, 12'000U,
                                27'999U, 28'000U, 65'535U, 75'000U, 90'000U, 200'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    for (const unsigned arity : {3U, 4U}) expect_values(hashes, 9, arity);
  }
}

TEST(Table, ReturnsValuesOfEveryWidth) {
  const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(kSmallSetKeys));
  for (unsigned width = 1; width <= 64; ++width) {
    for (const unsigned arity : {3U, 4U}) expect_values(hashes, width, arity);
  }
}

TEST(Table, ReturnsTheValuesOfSeveralShards) {
  const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(800'001));
  ASSERT_EQ(shard_bits(hashes.size()), 1U);
  expect_values(hashes, 13, 4);
  expect_values(hashes, 8, 3);
}

TEST(Table, ReturnsValuesBelowTwoToTheWidthForOtherKeys) {
  for (const std::uint64_t n : {0U, 5U, 500U, 30'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    for (const unsigned width : {1U, 7U, 9U, 59U, 63U}) {
      const base::Bytes section = build_fuse(hashes, width, 4);
      const Table table(base::ByteView{section});
      for (const Hash128 other : random_hashes(2000, 9)) {
        ASSERT_EQ(table.value(other) >> width, 0U);
      }
    }
  }
}

TEST(Table, TellsKeysApartThatShareTheFirstHalf) {
  for (const std::uint64_t n : {300U, 40'000U}) {
    auto set = random_hashes(n);
    for (std::uint64_t i = 2; i < n; i += 5) set[i].hi = set[i - 1].hi = set[i - 2].hi;
    const auto hashes = stream::SortedHashes::from_unsorted(set);
    ASSERT_EQ(hashes.size(), n);
    for (const unsigned arity : {3U, 4U}) expect_values(hashes, 17, arity);
  }
}

TEST(Table, HostileHashesBuildOrAreRefused) {
  for (const std::uint64_t n : {1000U, 40'000U}) {
    for (const auto& set : test::hostile_sets(n)) {
      const auto hashes = stream::SortedHashes::from_unsorted(set);
      try {
        expect_values(hashes, 9, 4);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::bad_input);
        EXPECT_GE(n, kSmallSetKeys);
      }
    }
  }
}

TEST(Table, GrowsWhereTheFirstSlotsLieUnevenly) {
  constexpr std::uint64_t kKeys = 25'000;
  auto set = random_hashes(kKeys);
  // Nearly as many in the lower half as it has slots.
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    set[i].hi = set[i].hi >> 1 | (i < 14'400 ? 0 : std::uint64_t{1} << 63);
  }
  const auto hashes = stream::SortedHashes::from_unsorted(set);
  for (const unsigned arity : {3U, 4U}) {
    const double planned = bits_per_key(kKeys, 8, arity) * kKeys;
    EXPECT_GT(8.0 * static_cast<double>(build_fuse(hashes, 8, arity).size()), 1.02 * planned);
    expect_values(hashes, 8, arity);
  }
}

TEST(Table, AShardThatHasNearlyAllKeysIsRefused) {
  auto set = random_hashes(kMaxShardKeys + 1);
  ASSERT_EQ(shard_bits(set.size()), 2U);
  for (Hash128& hash : set) hash.hi >>= 2;
  const auto hashes = stream::SortedHashes::from_unsorted(set);
  ASSERT_EQ(hashes.size(), set.size());
  EXPECT_NE(
      test::error_of(ErrorKind::bad_input, [&] { build_fuse(hashes, 1, 4); }).find("another seed"),
      std::string::npos);
}

/// However unlike each other the shards are, and where one is empty.
TEST(Table, ShardsHaveTheRoomThatTheirOwnKeysNeed) {
  auto set = random_hashes(1'000'000);
  ASSERT_EQ(shard_bits(set.size()), 1U);
  for (std::size_t i = 0; i < set.size(); ++i)
    set[i].hi = set[i].hi >> 1 | (i % 8 == 0 ? 1ULL << 63 : 0);
  expect_values(stream::SortedHashes::from_unsorted(set), 9, 4);
  for (Hash128& hash : set) hash.hi &= ~std::uint64_t{0} >> 1;
  expect_values(stream::SortedHashes::from_unsorted(set), 9, 3);
}

TEST(Table, TakesTheBitsThatArePlanned) {
  for (const std::uint64_t n : {1U, 1000U, 20'000U, 100'000U, 1'000'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    for (const unsigned arity : {3U, 4U}) {
      const auto bits = 8.0 * static_cast<double>(build_fuse(hashes, 8, arity).size());
      const double planned = bits_per_key(n, 8, arity) * static_cast<double>(n);
      EXPECT_NEAR(bits, planned, 0.005 * planned + 8 * 200);
      if (n == 1'000'000) {
        EXPECT_LT(bits, 8e6 * (arity == 4 ? 1.085 : 1.16));
      }
    }
  }
}

TEST(Table, BytesDoNotDependOnThreads) {
  const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(800'001));
  const base::Bytes one = build_fuse(hashes, 8, 4, 1);
  EXPECT_EQ(one, build_fuse(hashes, 8, 4, 2));
  EXPECT_EQ(one, build_fuse(hashes, 8, 4, 3));
}

TEST(Table, ProgressCountsEveryKey) {
  for (const std::uint64_t n : {100U, 25'000U}) {
    base::Progress progress;
    base::MemorySink sink;
    const auto ones = [](auto, auto, auto values) { std::ranges::fill(values, 1); };
    build(*plan(n, 1, 4, ones), stream::SortedHashes::from_unsorted(random_hashes(n)),
          {1, progress}, sink);
    EXPECT_EQ(progress.done(), n);
  }
}

/// Opens and, if that succeeds, looks keys up: under the sanitizers, no read may leave the section.
/// The copy stands at the end of its own allocation.
bool opens(base::ByteView section) {
  static const std::vector<Hash128> keys = random_hashes(100, 3);
  const base::Bytes copy(section.begin(), section.end());
  try {
    const Table table(base::ByteView{copy});
    std::vector<std::uint64_t> batch(keys.size());
    table.values(keys, batch.data());
    for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(table.value(keys[i]), batch[i]);
    // The first and the last slots.
    (void)table.value({0, 0});
    (void)table.value({~std::uint64_t{0}, ~std::uint64_t{0}});
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
    return false;
  }
}

TEST(CorruptTable, TruncationsAndExtensionsAreRefused) {
  for (const std::uint64_t n : {0U, 1U, 200U, 20'500U}) {
    for (const unsigned width : {1U, 8U, 12U, 61U, 64U}) {
      const base::Bytes section =
          build_fuse(stream::SortedHashes::from_unsorted(random_hashes(n)), width, 4);
      EXPECT_TRUE(opens(section));
      const std::size_t step = std::max<std::size_t>(1, section.size() / 150);
      for (std::size_t length = 0; length < section.size(); length += step) {
        EXPECT_FALSE(opens(base::ByteView(section).first(length))) << length;
      }
      EXPECT_FALSE(opens(base::ByteView(section).first(section.size() - 1)));
      base::Bytes longer = section;
      for (const std::size_t more : {1U, 63U, 64U}) {
        longer.resize(section.size() + more);
        EXPECT_FALSE(opens(longer));
      }
    }
  }
}

TEST(CorruptTable, EveryChangedHeaderSeedAndPaddingByteIsRefusedOrHarmless) {
  for (const std::uint64_t n : {0U, 1U, 200U, 20'500U}) {
    for (const unsigned width : {1U, 8U, 12U}) {
      const base::Bytes section =
          build_fuse(stream::SortedHashes::from_unsorted(random_hashes(n)), width, 3);
      for (std::size_t at = 0; at < section.size(); ++at) {
        const bool tail = at + kEndPadding + kTableEntryBytes >= section.size();
        if (at >= kHeaderBytes && !tail && at % 97 != 0) continue;
        for (const unsigned change : {0x01U, 0x07U, 0x40U, 0x80U, 0xffU}) {
          base::Bytes changed = section;
          changed[at] ^= static_cast<std::byte>(change);
          const bool opened = opens(changed);
          // The arity and n can become another sound value.
          if (at < kHeaderBytes && at != 1 && (at < 8 || at >= 16)) {
            EXPECT_FALSE(opened) << at;
          }
          if (at + kEndPadding >= section.size()) {
            EXPECT_FALSE(opened) << at;
          }
        }
      }
    }
  }
}

TEST(CorruptTable, ShapesMustFitTheSection) {
  const base::Bytes section =
      build_fuse(stream::SortedHashes::from_unsorted(random_hashes(20'500)), 8, 4);
  const std::size_t entry = section.size() - kEndPadding - kTableEntryBytes;
  const auto opens_with = [&](unsigned shard_bits, unsigned segment_bits, std::uint64_t segments,
                              unsigned width = 8) {
    base::Bytes changed = section;
    changed[0] = static_cast<std::byte>(width);
    changed[2] = static_cast<std::byte>(shard_bits);
    changed[3] = static_cast<std::byte>(segment_bits);
    base::store_le(changed.data() + entry, encode_shard(segments, 0));
    return opens(changed);
  };
  const auto segment_bits = std::to_integer<unsigned>(section[3]);
  const std::uint64_t segments = base::load_le<std::uint32_t>(section.data() + entry) >> 8;
  constexpr std::uint64_t kMost = (std::uint64_t{1} << kSegmentCountBits) - 1;
  EXPECT_TRUE(opens_with(0, segment_bits, segments));
  // The same slots in other segments: other values, but sound.
  EXPECT_TRUE(opens_with(0, segment_bits - 1, segments * 2));
  EXPECT_FALSE(opens_with(0, segment_bits, segments + 1));
  EXPECT_FALSE(opens_with(0, segment_bits, segments - 1));
  EXPECT_FALSE(opens_with(1, segment_bits, segments));
  EXPECT_FALSE(opens_with(32, segment_bits, kMost));
  EXPECT_FALSE(opens_with(0, 16, kMost, 64));
  EXPECT_FALSE(opens_with(32, 16, kMost, 64));
  EXPECT_FALSE(opens_with(33, segment_bits, segments));
  EXPECT_FALSE(opens_with(255, segment_bits, segments));
  EXPECT_FALSE(opens_with(0, 0, segments));
  EXPECT_FALSE(opens_with(0, 2, segments << (segment_bits - 2)));
  EXPECT_FALSE(opens_with(0, 17, segments));
  EXPECT_FALSE(opens_with(0, segment_bits, 3));
  EXPECT_FALSE(opens_with(0, segment_bits, 0));
}

/// Of several shards, each entry of the table must fit, and all together.
TEST(CorruptTable, EntriesMustFitTheSection) {
  const base::Bytes section =
      build_fuse(stream::SortedHashes::from_unsorted(random_hashes(1'700'000)), 8, 4);
  ASSERT_EQ(std::to_integer<unsigned>(section[2]), 2U);
  const std::size_t table = section.size() - kEndPadding - 4 * kTableEntryBytes;
  const auto entry = [&](unsigned shard) {
    return base::load_le<std::uint32_t>(section.data() + table + kTableEntryBytes * shard);
  };
  const auto opens_with = [&](unsigned shard, std::uint32_t value, unsigned other,
                              std::uint32_t other_value) {
    base::Bytes changed = section;
    base::store_le(changed.data() + table + kTableEntryBytes * shard, value);
    base::store_le(changed.data() + table + kTableEntryBytes * other, other_value);
    return opens(changed);
  };
  EXPECT_TRUE(opens_with(0, entry(0), 3, entry(3)));
  EXPECT_TRUE(opens_with(0, entry(0) + 256, 3, entry(3) - 256));  // as many slots: sound
  EXPECT_TRUE(opens_with(0, entry(0) | 31, 3, entry(3)));
  for (unsigned shard = 0; shard < 3; ++shard) {
    EXPECT_FALSE(opens_with(shard, entry(shard) + 256, 3, entry(3)));
    EXPECT_FALSE(opens_with(shard, entry(shard) - 256, 3, entry(3)));
    EXPECT_FALSE(opens_with(shard, 3 << 8, 3, entry(3)));
    EXPECT_FALSE(opens_with(shard, UINT32_MAX & ~0xffU, 3, entry(3)));
    EXPECT_FALSE(opens_with(shard, entry(shard) | 32, 3, entry(3)));
  }
}

}  // namespace
}  // namespace crivo::fuse
