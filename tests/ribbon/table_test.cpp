// The static function: what is built in comes out, whatever the number of keys and the width.
#include "structures/ribbon/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "crivo/error.hpp"
#include "structures/retrieval/fingerprint.hpp"
#include "structures/ribbon/partition.hpp"
#include "support/hashes.hpp"
#include "support/ribbons.hpp"
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
    for (const Layout layout : kLayouts) {
      for (const unsigned width : {1U, 3U, 8U, 16U, 19U, 32U}) {
        const base::Bytes section = build_ribbon(hashes, width, 1, layout);
        const Table table(section, layout);
        for (const auto& others : {random_hashes(5000), random_hashes(5000, 9)}) {
          for (const Hash128 hash : others) {
            ASSERT_EQ(table.contains(hash),
                      n != 0 && table.value(hash) == retrieval::fingerprint(hash, width));
          }
        }
      }
    }
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
      expect_values(hashes, 9);
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
  for (std::size_t first = 0; first < all.size(); first += kLanes) {
    for (unsigned count = 1; count <= kLanes; ++count) {
      const auto together =
          build_partitions<std::uint16_t>(all.subspan(first, count), 0, 12, kLayouts[count % 2]);
      ASSERT_EQ(together.size(), count);
      for (std::size_t i = 0; i < count; ++i) {
        const auto alone =
            build_partitions<std::uint16_t>(all.subspan(first + i, 1), 0, 12, kLayouts[count % 2]);
        EXPECT_EQ(together[i].words, alone[0].words);
        EXPECT_EQ(together[i].body, alone[0].body);
      }
    }
  }
}

TEST(Table, BytesDoNotDependOnThreads) {
  const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(1'500'000));
  EXPECT_EQ(build_ribbon(hashes, 8, 1), build_ribbon(hashes, 8, 2));
}

TEST(Table, BytesAreTheSameFromASpilledStream) {
  const auto set = random_hashes(700'000);
  const auto expected = build_ribbon(stream::SortedHashes::from_unsorted(set), 8);
  for (const unsigned partition_bits : {0U, 6U}) {
    const test::SpilledKeys<Hash128> spilled(set, partition_bits);
    ASSERT_GT(spilled.temp_bytes(), 0U);
    for (const unsigned threads : {1U, 3U}) {
      EXPECT_TRUE(build_ribbon(spilled.keys(), 8, threads) == expected)
          << partition_bits << " bits, " << threads << " threads";
    }
  }
}

TEST(Table, ProgressCountsEveryKey) {
  for (const std::uint64_t n : {100U, 25'000U}) {
    base::Progress progress;
    base::MemorySink sink;
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    build(
        hashes, 1, [](auto, auto, auto values) { std::ranges::fill(values, 1); }, {1, progress},
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
          // Only the width, the seed and n can become another sound value.
          if (header && at != 0 && at != 5 && (at < 8 || at >= 16)) {
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

TEST(CorruptTable, LayersMustBeWithinTheSectionInSequence) {
  const unsigned width = 8;
  const Layout layout = Layout::blocks_of_64;
  const base::Bytes section =
      build_ribbon(stream::SortedHashes::from_unsorted(random_hashes(20'500)), width, 1, layout);
  const std::size_t entry = section.size() - end_padding(layout, width) - kTableEntryBytes;
  const auto first = base::load_le<std::uint32_t>(section.data() + entry);
  const auto second = base::load_le<std::uint32_t>(section.data() + entry + 4);
  ASSERT_GT(second, 0U);
  const auto refused = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    base::Bytes changed = section;
    base::store_le(changed.data() + entry, a);
    base::store_le(changed.data() + entry + 4, b);
    base::store_le(changed.data() + entry + 8, c);
    return !opens(changed, layout, random_hashes(100, 3));
  };
  EXPECT_TRUE(refused(first + 1, second, 0));
  EXPECT_TRUE(refused(first - 1, second, 0));
  EXPECT_TRUE(refused(0, second, first));
  EXPECT_TRUE(refused(UINT32_MAX, second, 0));
  EXPECT_TRUE(refused(UINT32_MAX, 1, 0));
  EXPECT_TRUE(refused(std::uint32_t{1} << 31, std::uint32_t{1} << 31, 0));
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
    const std::size_t entry = section.size() - end_padding(layout, 8) - kTableEntryBytes;
    std::uint64_t at = kHeaderBytes;
    std::uint64_t thresholds = 0;
    for (unsigned i = 0; i < kLayers; ++i) {
      const auto slots =
          std::uint64_t{64} * base::load_le<std::uint32_t>(section.data() + entry + 4 * i);
      at += slots;  // a byte each
      thresholds += threshold_bytes(layer_starts(slots));
    }
    std::fill_n(section.begin() + static_cast<std::ptrdiff_t>(at), thresholds, std::byte{0xff});
    const Table table(section, layout);
    for (const Hash128 key : keys) ASSERT_EQ(table.value(key), 0U);
  }
}

}  // namespace
}  // namespace crivo::ribbon
