// SPDX-License-Identifier: Apache-2.0
// The static function: what is built in comes out, whatever the number of keys and the width.
#include "structures/ribbon/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "crivo/detail/filter_lookup.hpp"
#include "crivo/error.hpp"
#include "structures/ribbon/build/partition.hpp"
#include "support/hashes.hpp"
#include "support/ribbons.hpp"
#include "support/sanitizers.hpp"
#include "support/spilled_keys.hpp"

namespace crivo::ribbon {
namespace {

using test::build_ribbon;
using test::kParts;
using test::random_hashes;
using test::test_value;

void expect_values(const stream::SortedHashes& hashes, unsigned width, HashPart part) {
  const base::Bytes section = build_ribbon(hashes, width, 1, part);
  const Table table(base::ByteView{section}, part);
  EXPECT_EQ(table.size(), hashes.size());
  EXPECT_EQ(table.width(), width);
  const auto sorted = hashes.partition(0, 0);
  std::vector<Hash128> keys(sorted.begin(), sorted.end());
  if (part == HashPart::first_half) std::ranges::transform(keys, keys.begin(), of_filter);
  std::vector<std::uint64_t> batch(keys.size());
  table.values(keys, batch.data());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(table.value(keys[i]), test_value(i, width)) << i << " of " << keys.size();
    ASSERT_EQ(batch[i], test_value(i, width)) << i << " of " << keys.size();
  }
}

void expect_values(const stream::SortedHashes& hashes, unsigned width) {
  for (const HashPart part : kParts) expect_values(hashes, width, part);
}

TEST(Table, ReturnsTheValuesOfSmallSets) {
  for (std::uint64_t n = 0; n <= 300; ++n) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n, n));
    for (const unsigned width : {1U, 8U, 13U, 24U, 32U, 33U, 64U}) {
      expect_values(hashes, width, kParts[n % 2]);
    }
  }
}

TEST(Table, ReturnsTheValuesAtTheEdgesOfTheForms) {
  for (const std::uint64_t n : {1000U, 4'095U, 4'096U, 4'097U, 11'500U, 65'536U, 100'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    for (const unsigned width : {1U, 8U, 13U, 24U, 32U, 33U, 64U}) expect_values(hashes, width);
  }
}

TEST(Table, ReturnsTheValuesOfSeveralPartitions) {
  expect_values(stream::SortedHashes::from_unsorted(random_hashes(500'000)), 13, HashPart::whole);
}

TEST(Table, ContainsTheKeysWhoseValueIsTheirFingerprint) {
  for (const std::uint64_t n : {0U, 500U, 30'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    for (const unsigned width : {1U, 3U, 8U, 16U, 19U, 32U}) {
      const base::Bytes section = build_ribbon(hashes, width, 1, HashPart::first_half);
      const Table table(base::ByteView{section}, HashPart::first_half);
      const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
      for (const auto& others : {random_hashes(5000), random_hashes(5000, 9)}) {
        for (const Hash128 hash : others) {
          const bool expected =
              n != 0 && table.value(of_filter(hash)) == (detail::fingerprint(hash.hi) & mask);
          ASSERT_EQ(table.contains(hash), expected);
          ASSERT_EQ(table.lookup().contains(hash), expected);
        }
      }
    }
  }
}

/// A filter as it is built over keys: each with its fingerprint.
base::Bytes build_filter(const stream::SortedHashes& hashes, Width width) {
  base::Progress progress;
  base::MemorySink sink;
  const auto fingerprints = [](std::span<const Hash128> keys, std::uint64_t,
                               std::span<std::uint64_t> values) {
    std::ranges::transform(keys, values.begin(),
                           [](Hash128 key) { return std::uint64_t{detail::fingerprint(key.hi)}; });
  };
  const auto masked = [&](std::span<const Hash128> keys, std::uint64_t first,
                          std::span<std::uint64_t> values) {
    fingerprints(keys, first, values);
    for (std::uint64_t& value : values) value &= ~std::uint64_t{0} >> (64 - width.bits);
  };
  build(*plan(hashes.size(), width, masked, HashPart::first_half), hashes, {1, progress}, sink);
  return sink.take();
}

TEST(Table, FiltersOfRowsOfTwoWidthsHoldEveryKey) {
  for (const std::uint64_t n :
       {1U, 2U, 6U, 7U, 63U, 64U, 65U, 100U, 1000U, 4'095U, 4'096U, 4'097U, 11'500U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    const auto keys = hashes.partition(0, 0);
    const auto others = random_hashes(20'000, 77);
    for (const Width width : {Width(1, 1U << 31), Width(3, 1U << 30), Width(7, 1'202'590'843),
                              Width(9, 1U << 31), Width(20, UINT32_MAX), Width(32, 5)}) {
      const base::Bytes section = build_filter(hashes, width);
      const Table table(base::ByteView{section}, HashPart::first_half);
      std::unique_ptr<bool[]> batch(new bool[others.size()]);
      table.contains(keys, batch.get());
      for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_TRUE(table.contains(keys[i])) << i << " of " << n << ", " << width.bits;
        ASSERT_TRUE(batch[i]);
      }
      table.contains(others, batch.get());
      double maybe = 0;
      for (std::size_t i = 0; i < others.size(); ++i) {
        ASSERT_EQ(table.contains(others[i]), batch[i]);
        maybe += batch[i] ? 1 : 0;
      }
      const double expected = table.rate() * static_cast<double>(others.size());
      EXPECT_LT(maybe, 1.1 * expected + 5 * std::sqrt(expected) + 5) << width.bits;
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
    expect_values(hashes, 17, HashPart::whole);
  }
}

TEST(Table, ReturnsValuesBelowTwoToTheWidthForOtherKeys) {
  for (const std::uint64_t n : {0U, 5U, 500U, 30'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    for (const unsigned width : {1U, 7U, 9U, 31U, 63U}) {
      const HashPart part = kParts[width % 4 / 2];
      const base::Bytes section = build_ribbon(hashes, width, 1, part);
      const Table table(base::ByteView{section}, part);
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
      expect_values(hashes, 9, HashPart::whole);  // filters have tests of their own for this
    }
  }
}

TEST(Table, ValuesTakeLittleMoreThanTheirBits) {
  const struct {
    std::uint64_t n;
    double factor;  // bits per key: so much for each bit of the value,
    double more;    // and this
  } cases[] = {{1000, 1.04, 0.3},    {1001, 1.04, 0.3},       {4'095, 1.03, 0.1},
               {4'096, 1.015, 0.15}, {11'500, 1.01, 0.1},     {20'700, 1.005, 0.1},
               {100'000, 1.005, .1}, {1'000'000, 1.003, 0.02}};
  for (const auto& c : cases) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(c.n));
    for (const HashPart part : kParts) {
      for (const unsigned width : {1U, 8U, 16U, 64U}) {
        if (c.n == 1'000'000 && (width == 64 || part == HashPart::whole)) continue;
        const auto bytes = build_ribbon(hashes, width, 1, part).size() - kHeaderBytes;
        EXPECT_LT(8.0 * static_cast<double>(bytes) / static_cast<double>(c.n),
                  c.factor * width + c.more)
            << c.n << " keys, " << width << " bits";
      }
    }
  }
}

TEST(Table, FunctionsOfOneBitTakeSixInAThousandMore) {
  const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(500'000));
  const auto bytes =
      build_ribbon(hashes, 1, 1, HashPart::whole).size() - kHeaderBytes - kEndPadding;
  EXPECT_LT(8.0 * static_cast<double>(bytes), 1.006 * 500'000);
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
  Bands<std::uint16_t, kUsualRows> bands;  // which hold what the build before left
  constexpr std::uint64_t kKeys = 60'000;  // of a set; its partition has more or less
  for (std::size_t first = 0; first < all.size(); first += kLanes) {
    for (unsigned count = 1; count <= kLanes; ++count) {
      const Header header{kParts[count % 2], 12, 0, kKeys};
      const auto together =
          build_partitions<std::uint16_t, kUsualRows>(all.subspan(first, count), header, bands);
      ASSERT_EQ(together.size(), count);
      for (std::size_t i = 0; i < count; ++i) {
        const auto alone =
            build_partitions<std::uint16_t, kUsualRows>(all.subspan(first + i, 1), header, bands);
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
bool opens(base::ByteView section, HashPart part, const std::vector<Hash128>& keys) {
  const base::Bytes copy(section.begin(), section.end());
  try {
    const Table table(base::ByteView{copy}, part);
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
  for (const std::uint64_t n : {0U, 1U, 200U, 4'500U}) {
    for (const unsigned width : {1U, 8U, 12U, 64U}) {
      const HashPart part = kParts[width == 8 || width == 64];
      const base::Bytes section =
          build_ribbon(stream::SortedHashes::from_unsorted(random_hashes(n)), width, 1, part);
      const std::size_t step = std::max<std::size_t>(1, section.size() / 150);
      for (std::size_t length = 0; length < section.size(); length += step) {
        EXPECT_FALSE(opens(base::ByteView(section).first(length), part, others)) << length;
      }
      EXPECT_FALSE(opens(base::ByteView(section).first(section.size() - 1), part, others));
      base::Bytes longer = section;
      for (const std::size_t more : {1U, 63U, 64U}) {
        longer.resize(section.size() + more);
        EXPECT_FALSE(opens(longer, part, others));
      }
    }
  }
}

TEST(CorruptTable, EveryChangedHeaderAndTableByteIsRefusedOrHarmless) {
  const auto others = random_hashes(200, 3);
  for (const std::uint64_t n : {0U, 1U, 200U, 4'500U}) {
    for (const unsigned width : {1U, 8U, 12U, 24U}) {
      const HashPart part = kParts[width == 12 || width == 24];
      const base::Bytes section =
          build_ribbon(stream::SortedHashes::from_unsorted(random_hashes(n)), width, 1, part);
      const std::size_t tail = kTableEntryBytes + kEndPadding;
      for (std::size_t at = 0; at < section.size(); ++at) {
        const bool header = at < kHeaderBytes;
        const bool table = n >= kSmallSetKeys && at >= section.size() - tail;
        if (!header && !table && at % 97 != 0) continue;
        for (const unsigned change : {0x01U, 0x40U, 0x80U, 0xffU}) {
          base::Bytes changed = section;
          changed[at] ^= static_cast<std::byte>(change);
          const bool opened = opens(changed, part, others);
          // Only the width, the seed, n and the narrow rows can become another sound value.
          if (header && at != 0 && at != 5 && (at < 8 || at >= 20)) {
            EXPECT_FALSE(opened) << at;
          }
          if (table && at >= section.size() - kEndPadding) {
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

Places places_of(const base::Bytes& section, std::uint64_t n) {
  const std::uint64_t slots = kUsualRows.first_layer_slots(n);
  const std::uint64_t thresholds = kHeaderBytes + slots;  // a byte each
  return {thresholds, thresholds + kUsualRows.threshold_bytes(kUsualRows.layer_starts(slots)),
          section.size() - kEndPadding - kTableEntryBytes};
}

TEST(CorruptTable, FurtherLayersThatLeaveTheSectionHoldNoKey) {
  const auto keys = random_hashes(4'500);
  for (const HashPart part : kParts) {
    const base::Bytes section = build_ribbon(stream::SortedHashes::from_unsorted(keys), 8, 1, part);
    const Places places = places_of(section, keys.size());
    const auto first = base::load_le<std::uint32_t>(section.data() + places.further);
    ASSERT_GT(first, 0U);
    for (const std::uint32_t words : {0U, first + 1000, UINT32_MAX, std::uint32_t{1} << 31}) {
      base::Bytes changed = section;
      base::store_le(changed.data() + places.further, words);
      ASSERT_TRUE(opens(changed, part, keys));
      std::uint64_t absent = 0;
      const Table table(base::ByteView{changed}, part);
      for (const Hash128 key : keys) absent += table.value(key) == 0 ? 1 : 0;
      EXPECT_GT(absent, keys.size() / 25);  // those that the first layer bumps, and some more
    }
  }
}

TEST(CorruptTable, BodiesThatLeaveTheSectionHoldNoKey) {
  const auto keys = random_hashes(200'000);  // in several partitions
  for (const HashPart part : kParts) {
    const base::Bytes section = build_ribbon(stream::SortedHashes::from_unsorted(keys), 8, 1, part);
    const unsigned bits = kUsualRows.partition_bits(keys.size());
    ASSERT_GT(bits, 0U);
    const std::size_t last = section.size() - kEndPadding - kTableEntryBytes;
    for (const std::uint64_t offset : {std::uint64_t{0}, section.size() - 100, section.size(),
                                       std::uint64_t{1} << 63, UINT64_MAX}) {
      base::Bytes changed = section;
      base::store_le(changed.data() + last, offset);
      ASSERT_TRUE(opens(changed, part, keys));
    }
    base::Bytes changed = section;
    base::store_le(changed.data() + last - 8 * ((std::size_t{1} << bits) - 1), kHeaderBytes + 8);
    EXPECT_FALSE(opens(changed, part, {}));  // the first body is where it must be
  }
}

TEST(CorruptTable, KeysThatEveryLayerBumpsHaveTheValueZero) {
  const auto keys = random_hashes(4'500);
  for (const HashPart part : kParts) {
    base::Bytes section = build_ribbon(stream::SortedHashes::from_unsorted(keys), 8, 1, part);
    const Places places = places_of(section, keys.size());
    const auto bump_all = [&](std::uint64_t at, std::uint64_t slots) {
      const std::uint64_t bytes = kUsualRows.threshold_bytes(kUsualRows.layer_starts(slots));
      std::fill_n(section.begin() + static_cast<std::ptrdiff_t>(at), bytes, std::byte{0xff});
      return at + bytes;
    };
    bump_all(places.thresholds, kUsualRows.first_layer_slots(keys.size()));
    std::uint64_t at = places.further + kFurtherLayersBytes;
    for (unsigned i = 0; i + 1 < kLayers; ++i) {
      const auto slots = std::uint64_t{kBlockSlots} *
                         base::load_le<std::uint32_t>(section.data() + places.further + 4 * i);
      if (slots != 0) at = bump_all(at + slots, slots);
    }
    const Table table(base::ByteView{section}, part);
    for (const Hash128 key : keys) ASSERT_EQ(table.value(key), 0U);
  }
}

}  // namespace
}  // namespace crivo::ribbon
