// SPDX-License-Identifier: Apache-2.0
// The static function: what is built in comes out, whatever the number of keys and the width.
#include "structures/ribbon/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "crivo/detail/fingerprint.hpp"
#include "crivo/error.hpp"
#include "structures/ribbon/partition.hpp"
#include "support/hashes.hpp"
#include "support/ribbons.hpp"
#include "support/sanitizers.hpp"
#include "support/spilled_keys.hpp"

namespace crivo::ribbon {
namespace {

using test::build_ribbon;
using test::kLayouts;
using test::random_hashes;
using test::test_value;

void expect_values(const stream::SortedHashes& hashes, unsigned width, Layout layout) {
  const base::Bytes section = build_ribbon(hashes, width, 1, layout);
  const Table table(section, layout);
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

void expect_values(const stream::SortedHashes& hashes, unsigned width) {
  for (const Layout layout : kLayouts) expect_values(hashes, width, layout);
}

TEST(Table, ReturnsTheValuesOfSmallSets) {
  for (std::uint64_t n = 0; n <= 300; ++n) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n, n));
    for (const unsigned width : {1U, 8U, 13U, 24U, 32U, 33U, 64U}) {
      expect_values(hashes, width, kLayouts[n % 2]);  // small sets have no blocks
    }
  }
}

TEST(Table, ReturnsTheValuesAtTheEdgesOfTheForms) {
  for (const std::uint64_t n : {1000U, 11'500U, 19'999U, 20'000U, 20'001U, 65'536U, 100'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    for (const unsigned width : {1U, 8U, 13U, 24U, 32U, 33U, 64U}) expect_values(hashes, width);
  }
}

TEST(Table, ReturnsTheValuesOfSeveralPartitions) {
  expect_values(stream::SortedHashes::from_unsorted(random_hashes(500'000)), 13,
                Layout::blocks_of_8);
}

TEST(Table, ContainsTheKeysWhoseValueIsTheirFingerprint) {
  for (const std::uint64_t n : {0U, 500U, 30'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    for (const unsigned width : {1U, 3U, 8U, 16U, 19U, 32U}) {
      const base::Bytes section = build_ribbon(hashes, width, 1, Layout::blocks_of_64);
      const Table table(section, Layout::blocks_of_64);
      const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
      for (const auto& others : {random_hashes(5000), random_hashes(5000, 9)}) {
        for (const Hash128 hash : others) {
          const bool expected =
              n != 0 && table.value(hash) == (detail::fingerprint(hash.hi) & mask);
          ASSERT_EQ(table.contains(hash), expected);
          ASSERT_EQ(table.lookup().contains(hash), expected);
        }
      }
    }
  }
}

/// Keys that share the first half of their hash, two or three each, as no key hash is likely to
/// make them.
std::vector<Hash128> with_equal_halves(std::uint64_t n) {
  std::vector<Hash128> set = random_hashes(n);
  for (std::uint64_t i = 0; i + 7 < n; i += 7) {
    set[i + 1].hi = set[i].hi;
    if (i % 2 == 0) set[i + 2].hi = set[i].hi;
  }
  return set;
}

TEST(Table, TellsKeysApartThatShareTheFirstHalf) {
  for (const std::uint64_t n : {100U, 15'000U, 40'000U, 60'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(with_equal_halves(n));
    ASSERT_EQ(hashes.size(), n);
    expect_values(hashes, 17, Layout::blocks_of_8);
  }
}

TEST(Table, ReturnsValuesBelowTwoToTheWidthForOtherKeys) {
  for (const std::uint64_t n : {0U, 5U, 500U, 30'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    for (const unsigned width : {1U, 7U, 9U, 31U, 63U}) {
      const Layout layout = kLayouts[width % 4 / 2];
      const base::Bytes section = build_ribbon(hashes, width, 1, layout);
      const Table table(section, layout);
      for (const Hash128 other : random_hashes(2000, 9)) {
        ASSERT_EQ(table.value(other) >> width, 0U);
      }
    }
  }
}

TEST(Table, HostileHashesBuild) {
  for (const std::uint64_t n : {1000U, 50'000U}) {
    for (const auto& set : test::hostile_sets(n)) {
      const auto hashes = stream::SortedHashes::from_unsorted(set);
      ASSERT_EQ(hashes.size(), n);
      expect_values(hashes, 9, Layout::blocks_of_8);  // filters have tests of their own for this
    }
  }
}

TEST(Table, ValuesTakeLittleMoreThanTheirBits) {
  const struct {
    std::uint64_t n;
    double factor;  // bits per key: so much for each bit of the value,
    double more;    // and this
  } cases[] = {{1000, 1.04, 0.2},    {1001, 1.04, 0.2},       {11'500, 1.04, 0.1},
               {19'999, 1.04, 0.1},  {20'000, 1.01, 0.15},    {20'700, 1.01, 0.15},
               {100'000, 1.005, .1}, {1'000'000, 1.003, 0.02}};
  for (const auto& c : cases) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(c.n));
    for (const Layout layout : kLayouts) {
      for (const unsigned width : {1U, 8U, 16U, 64U}) {
        if (c.n == 1'000'000 && (width == 64 || layout == Layout::blocks_of_8)) continue;
        const auto bytes = build_ribbon(hashes, width, 1, layout).size() - kHeaderBytes;
        EXPECT_LT(8.0 * static_cast<double>(bytes) / static_cast<double>(c.n),
                  c.factor * width + c.more)
            << c.n << " keys, " << width << " bits";
      }
    }
  }
}

TEST(Table, PartitionsInLockStepAreAsTheyWouldBeAlone) {
  std::vector<PartitionInput<std::uint16_t>> inputs;
  std::vector<stream::SortedHashes> sets;
  for (const std::uint64_t n : {0U, 90'000U, 300U, 40'000U, 30'000U, 60'000U, 50'000U, 700U}) {
    sets.push_back(stream::SortedHashes::from_unsorted(random_hashes(n, n)));
  }
  for (const auto& set : sets) {
    std::vector<std::uint16_t> values(set.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<std::uint16_t>(test_value(i, 12));
    }
    inputs.push_back({set.partition(0, 0), std::move(values)});
  }
  const std::span<const PartitionInput<std::uint16_t>> all(inputs);
  Bands<std::uint16_t> bands;              // which hold what the build before left
  constexpr std::uint64_t kKeys = 60'000;  // of a set; its partition has more or less
  for (std::size_t first = 0; first < all.size(); first += kLanes) {
    for (unsigned count = 1; count <= kLanes; ++count) {
      const Header header{kLayouts[count % 2], 12, 0, kKeys};
      const auto together =
          build_partitions<std::uint16_t>(all.subspan(first, count), header, bands);
      ASSERT_EQ(together.size(), count);
      for (std::size_t i = 0; i < count; ++i) {
        const auto alone =
            build_partitions<std::uint16_t>(all.subspan(first + i, 1), header, bands);
        EXPECT_EQ(together[i], alone[0]);
      }
    }
  }
}

TEST(Table, BytesDoNotDependOnThreads) {
  const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(1'500'000));
  EXPECT_EQ(build_ribbon(hashes, 8, 1), build_ribbon(hashes, 8, 2));
}

TEST(Table, BytesAreTheSameFromASpilledStream) {
  const auto set = random_hashes(test::kSanitized ? 200'000 : 700'000);  // of several partitions
  const auto expected = build_ribbon(stream::SortedHashes::from_unsorted(set), 8);
  for (const unsigned partition_bits : {0U, 6U}) {
    const test::SpilledKeys<Hash128> spilled(set, partition_bits);
    ASSERT_GT(spilled.temp_bytes(), 0U);
    for (const unsigned threads : {1U, 3U}) {
      // Under sanitizers each partitioning and each number of threads once.
      if (test::kSanitized && (threads == 1) != (partition_bits == 0)) continue;
      EXPECT_TRUE(build_ribbon(spilled.keys(), 8, threads) == expected)
          << partition_bits << " bits, " << threads << " threads";
    }
  }
}

TEST(Table, ProgressCountsEveryKey) {
  for (const std::uint64_t n : {100U, 25'000U}) {
    base::Progress progress;
    base::MemorySink sink;
    const auto ones = [](auto, auto, auto values) { std::ranges::fill(values, 1); };
    build(*plan(n, 1, ones), stream::SortedHashes::from_unsorted(random_hashes(n)), {1, progress},
          sink);
    EXPECT_EQ(progress.done(), n);
  }
}

/// Opens and, if that succeeds, looks keys up: under the sanitizers, no read may leave the section.
/// The copy stands at the end of its own allocation.
bool opens(base::ByteView section, Layout layout, const std::vector<Hash128>& keys) {
  const base::Bytes copy(section.begin(), section.end());
  try {
    const Table table(copy, layout);
    std::vector<std::uint64_t> batch(keys.size());
    table.values(keys, batch.data());
    for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(table.value(keys[i]), batch[i]);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
    return false;
  }
}

TEST(CorruptTable, TruncationsAndExtensionsAreRefused) {
  const auto others = random_hashes(100, 3);
  for (const std::uint64_t n : {0U, 1U, 200U, 20'500U}) {
    for (const unsigned width : {1U, 8U, 12U, 64U}) {
      const Layout layout = kLayouts[width == 8 || width == 64];
      const base::Bytes section =
          build_ribbon(stream::SortedHashes::from_unsorted(random_hashes(n)), width, 1, layout);
      const std::size_t step = std::max<std::size_t>(1, section.size() / 150);
      for (std::size_t length = 0; length < section.size(); length += step) {
        EXPECT_FALSE(opens(base::ByteView(section).first(length), layout, others)) << length;
      }
      EXPECT_FALSE(opens(base::ByteView(section).first(section.size() - 1), layout, others));
      base::Bytes longer = section;
      for (const std::size_t more : {1U, 63U, 64U}) {
        longer.resize(section.size() + more);
        EXPECT_FALSE(opens(longer, layout, others));
      }
    }
  }
}

TEST(CorruptTable, EveryChangedHeaderAndTableByteIsRefusedOrHarmless) {
  const auto others = random_hashes(200, 3);
  for (const std::uint64_t n : {0U, 1U, 200U, 20'500U}) {
    for (const unsigned width : {1U, 8U, 12U, 24U}) {
      const Layout layout = kLayouts[width == 12 || width == 24];
      const base::Bytes section =
          build_ribbon(stream::SortedHashes::from_unsorted(random_hashes(n)), width, 1, layout);
      const std::size_t tail = kTableEntryBytes + end_padding(layout, width);
      for (std::size_t at = 0; at < section.size(); ++at) {
        const bool header = at < kHeaderBytes;
        const bool table = n >= kSmallSetKeys && at >= section.size() - tail;
        if (!header && !table && at % 97 != 0) continue;
        for (const unsigned change : {0x01U, 0x40U, 0x80U, 0xffU}) {
          base::Bytes changed = section;
          changed[at] ^= static_cast<std::byte>(change);
          const bool opened = opens(changed, layout, others);
          // Only the width, the seed, n and the narrow rows can become another sound value.
          if (header && at != 0 && at != 5 && (at < 8 || at >= 20)) {
            EXPECT_FALSE(opened) << at;
          }
          if (table && at >= section.size() - end_padding(layout, width)) {
            EXPECT_FALSE(opened) << at;
          }
        }
      }
    }
  }
}

/// Where the parts of a section of one partition stand, with whole values of 8 bits.
struct Places {
  std::uint64_t thresholds;  // of the first layer
  std::uint64_t further;     // the sizes of the further layers
  std::uint64_t table;
};

Places places_of(const base::Bytes& section, std::uint64_t n, Layout layout) {
  const std::uint64_t slots = first_layer_slots(n);
  const std::uint64_t thresholds = kHeaderBytes + slots;  // a byte each
  return {thresholds, thresholds + threshold_bytes(layer_starts(slots)),
          section.size() - end_padding(layout, 8) - kTableEntryBytes};
}

TEST(CorruptTable, FurtherLayersThatLeaveTheSectionHoldNoKey) {
  const auto keys = random_hashes(20'500);
  for (const Layout layout : kLayouts) {
    const base::Bytes section =
        build_ribbon(stream::SortedHashes::from_unsorted(keys), 8, 1, layout);
    const Places places = places_of(section, keys.size(), layout);
    const auto first = base::load_le<std::uint32_t>(section.data() + places.further);
    ASSERT_GT(first, 0U);
    for (const std::uint32_t words : {0U, first + 1000, UINT32_MAX, std::uint32_t{1} << 31}) {
      base::Bytes changed = section;
      base::store_le(changed.data() + places.further, words);
      ASSERT_TRUE(opens(changed, layout, keys));
      std::uint64_t absent = 0;
      const Table table(changed, layout);
      for (const Hash128 key : keys) absent += table.value(key) == 0 ? 1 : 0;
      EXPECT_GT(absent, keys.size() / 25);  // those that the first layer bumps, and some more
    }
  }
}

TEST(CorruptTable, BodiesThatLeaveTheSectionHoldNoKey) {
  const auto keys = random_hashes(200'000);  // in several partitions
  for (const Layout layout : kLayouts) {
    const base::Bytes section =
        build_ribbon(stream::SortedHashes::from_unsorted(keys), 8, 1, layout);
    const unsigned bits = partition_bits(keys.size());
    ASSERT_GT(bits, 0U);
    const std::size_t last = section.size() - end_padding(layout, 8) - kTableEntryBytes;
    for (const std::uint64_t offset : {std::uint64_t{0}, section.size() - 100, section.size(),
                                       std::uint64_t{1} << 63, UINT64_MAX}) {
      base::Bytes changed = section;
      base::store_le(changed.data() + last, offset);
      ASSERT_TRUE(opens(changed, layout, keys));
    }
    base::Bytes changed = section;
    base::store_le(changed.data() + last - 8 * ((std::size_t{1} << bits) - 1), kHeaderBytes + 8);
    EXPECT_FALSE(opens(changed, layout, {}));  // the first body is where it must be
  }
}

TEST(CorruptTable, ALayoutThatIsNotTheTypesIsRefused) {
  const base::Bytes section = build_ribbon(
      stream::SortedHashes::from_unsorted(random_hashes(20'500)), 8, 1, Layout::blocks_of_64);
  EXPECT_FALSE(opens(section, Layout::blocks_of_8, {}));
  base::Bytes other = build_ribbon(stream::SortedHashes::from_unsorted(random_hashes(20'500)), 8);
  EXPECT_FALSE(opens(other, Layout::blocks_of_64, {}));
}

TEST(CorruptTable, KeysThatEveryLayerBumpsHaveTheValueZero) {
  const auto keys = random_hashes(20'500);
  for (const Layout layout : kLayouts) {
    base::Bytes section = build_ribbon(stream::SortedHashes::from_unsorted(keys), 8, 1, layout);
    const Places places = places_of(section, keys.size(), layout);
    const auto bump_all = [&](std::uint64_t at, std::uint64_t slots) {
      const std::uint64_t bytes = threshold_bytes(layer_starts(slots));
      std::fill_n(section.begin() + static_cast<std::ptrdiff_t>(at), bytes, std::byte{0xff});
      return at + bytes;
    };
    bump_all(places.thresholds, first_layer_slots(keys.size()));
    std::uint64_t at = places.further + kFurtherLayersBytes;
    for (unsigned i = 0; i + 1 < kLayers; ++i) {
      const auto slots =
          std::uint64_t{64} * base::load_le<std::uint32_t>(section.data() + places.further + 4 * i);
      if (slots != 0) at = bump_all(at + slots, slots);
    }
    const Table table(section, layout);
    for (const Hash128 key : keys) ASSERT_EQ(table.value(key), 0U);
  }
}

}  // namespace
}  // namespace crivo::ribbon
