// SPDX-License-Identifier: Apache-2.0
// Bloom filters, plain and counting: the seed's formulas, the cells against a model, counting,
// saturation, and what a header may say.
#include "structures/bloom/bloom.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "structures/bloom/build/bloom.hpp"
#include "structures/bloom/build/cell_array.hpp"
#include "structures/bloom/build/shape.hpp"
#include "structures/bloom/cells.hpp"
#include "support/errors.hpp"
#include "support/filters.hpp"
#include "support/hashes.hpp"
#include "support/sizes.hpp"

namespace crivo::filter {
namespace {

using test::count_maybes;
using test::error_of;
using test::random_hashes;

const Builder& type(std::string_view name) {
  return *std::ranges::find(builders(), name, &Builder::name);
}

base::Bytes build(const FilterOptions& options, const std::vector<Hash128>& set) {
  return test::build_filter(type(options.type), stream::SortedHashes::from_unsorted(set), options);
}

base::Bytes written(Editor& editor) {
  base::MemorySink sink;
  editor.write(sink);
  return sink.take();
}

TEST(BloomSizing, TheSeedsNumbers) {
  constexpr double kKeys = 1e9;
  constexpr double kCells = 8e9;
  EXPECT_NEAR(bloom_fpr(kCells, kKeys, 1), 0.1175, 0.00005);
  EXPECT_NEAR(bloom_fpr(kCells, kKeys, 2), 0.0489, 0.00005);  // the slides' 0.00493 is a slip
  EXPECT_EQ(best_hashes(8'000'000'000, 1'000'000'000), 6U);   // beside 8 ln 2 = 5.545
  for (unsigned hashes = 1; hashes <= kMaxHashes; ++hashes) {
    EXPECT_GE(bloom_fpr(kCells, kKeys, hashes), bloom_fpr(kCells, kKeys, 6));
  }
  const std::uint64_t cells = bloom_shape(1'000'000'000, {.bits = 8}, 1).regions.all_cells();
  EXPECT_GE(cells, 8'000'000'000U);  // in regions of whole words
  EXPECT_LT(cells, 8'000'000'000U + 8'000'000'000U / 16'384);
  EXPECT_EQ(bloom_shape(100'000, {.bits = 8}, 1).regions.all_cells(), 800'000U);
  EXPECT_EQ(bloom_shape(1'000'000'000, {.bits = 8}, 1).hashes, 6U);
}

/// The bound of the seed: with cells half full, 1 / ln 2 bits a key for each halving of the rate.
TEST(BloomSizing, RatesTakeTheLeastCells) {
  for (const double fpr : {0.5, 0.1, 0.01, 1.0 / 256, 1.0 / 65536, std::ldexp(1.0, -32)}) {
    const BloomShape shape = bloom_shape(100'000'000, {.fpr = fpr}, 1);
    const double bits_per_key = static_cast<double>(shape.regions.all_cells()) / 1e8;
    EXPECT_LE(bloom_fpr(static_cast<double>(shape.regions.all_cells()), 1e8, shape.hashes), fpr);
    EXPECT_NEAR(bits_per_key / -std::log2(fpr), 1.4427, 0.02) << fpr;
    EXPECT_NEAR(shape.hashes, -std::log2(fpr), 1);
  }
}

/// The arithmetic in integers is that of floating point, as far as that goes.
TEST(BloomSizing, IntegersFollowTheFormula) {
  for (const double fpr : {0.999, 0.5, 0.1, 0.01, 1.0 / 256, 1e-6, std::ldexp(1.0, -32)}) {
    for (const std::uint64_t keys : {1U, 10U, 1000U, 150'000U}) {
      for (const unsigned hashes : {1U, 2U, 7U, 8U, 33U, 64U}) {
        const auto shape = bloom_shape(keys, {.fpr = fpr, .hashes = hashes}, 1);
        const double probes = static_cast<double>(keys) * hashes;
        const double fill = std::pow(fpr, 1.0 / hashes);
        const double load = -std::log1p(-fill);
        const double expected = std::ceil(probes / load);
        const double sigma = std::sqrt((1 - fill) * (1 - (1 + load) * (1 - fill)) / expected);
        const double margin = std::max(fill - kBloomDeviations * sigma, fill / 2);
        const double cells = std::ceil(-probes / std::log1p(-margin));
        // Regions are whole words.
        const auto found = static_cast<double>(shape.regions.all_cells());
        EXPECT_NEAR(found, cells,
                    2 + 1e-6 * cells + 64.0 * static_cast<double>(shape.regions.count()))
            << fpr << ", " << keys << " keys, " << hashes;
      }
    }
  }
  for (const double bits : {0.01, 0.5, 1.0, 3.0, 8.0, 14.5, 40.0, 1000.0}) {
    const auto cells = static_cast<std::uint64_t>(std::ceil(bits * 10'000));
    const unsigned hashes = best_hashes(cells, 10'000);
    const double best = bloom_fpr(static_cast<double>(cells), 10'000, hashes);
    for (unsigned other = 1; other <= kMaxHashes; ++other) {
      EXPECT_GE(bloom_fpr(static_cast<double>(cells), 10'000, other), best * (1 - 1e-6)) << bits;
    }
  }
}

/// The number of cells is that of n; a set whose filter has a higher rate than was asked is rare.
TEST(BloomSizing, NearlyEverySetKeepsTheRate) {
  unsigned sets = 0;
  unsigned above = 0;
  for (const std::uint64_t n : {1U, 10U, 100U, 1000U, 3000U}) {
    for (const double fpr : {0.1, 1.0 / 256, 0.0001}) {
      for (std::uint64_t salt = 0; salt < 200 / test::kFewer; ++salt, ++sets) {
        const auto section = build({.type = "bloom", .fpr = fpr}, random_hashes(n, 100 + salt));
        above += open_bloom(section)->fpr() > fpr ? 1 : 0;
      }
    }
  }
  EXPECT_LE(above, sets / 200) << "of " << sets;
}

TEST(BloomRegions, AreWholeWordsOfMoreThanAMillionCells) {
  EXPECT_EQ(bloom_shape(100'000, {.fpr = 0.004}, 1).regions.bits, 0U);
  EXPECT_EQ(bloom_shape(10, {.fpr = 0.004, .capacity = 10'000'000}, 1).regions.bits,
            bloom_shape(10'000'000, {.fpr = 0.004}, 1).regions.bits);
  for (std::uint64_t n = 150'000; n < 100'000'000'000; n = n * 3 / 2) {
    for (const unsigned hashes : {1U, 8U, 9U, 16U, 17U, 64U}) {
      const BloomRegions regions = bloom_shape(n, {.bits = 20, .hashes = hashes}, 1).regions;
      EXPECT_GE(regions.all_cells(), 20 * n);
      EXPECT_LE(static_cast<double>(regions.all_cells()), 20.002 * static_cast<double>(n));
      if (regions.bits == 0) continue;
      const std::uint64_t least = (std::uint64_t{1} << 20) * (hashes <= 8    ? 1
                                                              : hashes <= 16 ? 4
                                                              : hashes <= 32 ? 16
                                                                             : 64);
      EXPECT_GE(regions.cells, least);
      EXPECT_LE(regions.cells, 2 * least);
      EXPECT_EQ(regions.cells % 64, 0U);
    }
  }
}

/// Probes stay in the region that the hash begins with, and reach all of it.
TEST(BloomRegions, HoldTheirHashes) {
  const BloomRegions regions{3, 640};
  std::vector<unsigned> hits(regions.all_cells());
  for (const Hash128 hash : random_hashes(20'000)) {
    for_each_probe(hash, regions, 0, 4, [&](std::uint64_t cell) {
      EXPECT_EQ(cell / 640, hash.hi >> 61);
      ++hits[cell];
      return true;
    });
  }
  EXPECT_EQ(std::ranges::count(hits, 0U), 0);
}

/// A filter in regions has the rate of one that is not, and can do what that can.
TEST(BloomRegions, AreAsGoodAsOne) {
  const auto set = random_hashes(400'000, 7);
  const FilterOptions options{.type = "bloom", .fpr = 1.0 / 64};
  const base::Bytes section = build(options, set);
  EXPECT_EQ(BloomHeader::decode(section).regions.bits, 1U);
  const auto filter = open_bloom(section);
  EXPECT_EQ(count_maybes(*filter, set), set.size());
  EXPECT_LE(filter->fpr(), 1.0 / 64);
  EXPECT_GT(filter->fpr(), 0.98 / 64);
  constexpr std::uint64_t kProbes = 2'000'000 / test::kFewer;
  const double expected = kProbes * filter->fpr();
  EXPECT_NEAR(static_cast<double>(count_maybes(*filter, random_hashes(kProbes, 9))), expected,
              4 * std::sqrt(expected));

  for (const char* name : {"bloom", "counting-bloom"}) {
    FilterOptions roomy = options;
    roomy.type = name;
    roomy.capacity = set.size();
    const auto editor = type(name).edit(build(roomy, {set.begin(), set.begin() + 300'000}));
    for (std::size_t i = 300'000; i < set.size(); ++i) ASSERT_TRUE(editor->add(set[i]));
    const base::Bytes added = written(*editor);
    const base::Bytes whole = build(roomy, set);
    EXPECT_TRUE(std::equal(added.begin() + BloomHeader::kBytes, added.end(),
                           whole.begin() + BloomHeader::kBytes, whole.end()));
  }
}

TEST(BloomSizing, MeasuredAtEightBitsAKey) {
  const auto set = random_hashes(100'000);
  for (const auto& [hashes, rate] : {std::pair{1U, 0.1175}, {2U, 0.0489}, {6U, 0.0216}}) {
    const base::Bytes section = build({.type = "bloom", .bits = 8, .hashes = hashes}, set);
    const auto filter = open_bloom(section);
    constexpr std::uint64_t kProbes = 400'000;
    const auto maybes = static_cast<double>(count_maybes(*filter, random_hashes(kProbes, 5)));
    const double expected = rate * kProbes;
    EXPECT_NEAR(maybes, expected, 4 * std::sqrt(expected) + 0.005 * expected) << hashes;
  }
}

/// What double hashing gets wrong: in few cells, and with many probes.
TEST(BloomProbes, AreIndependentInFewCells) {
  for (const unsigned hashes : {1U, 2U, 3U, 4U, 7U, 16U}) {
    for (const double bits : {2.0, 3.0, 8.0, 64.0, 100.0}) {
      const base::Bytes section =
          build({.type = "bloom", .bits = bits, .hashes = hashes}, random_hashes(2, hashes));
      const auto filter = open_bloom(section);
      constexpr std::uint64_t kProbes = 100'000;
      const auto maybes = static_cast<double>(count_maybes(*filter, random_hashes(kProbes, 9)));
      const double expected = filter->fpr() * kProbes;
      EXPECT_NEAR(maybes, expected, 4 * std::sqrt(expected) + 1) << hashes << ", " << bits;
    }
  }
}

TEST(BloomProbes, ReachCellsBeyond32Bits) {
  constexpr std::uint64_t kCells = std::uint64_t{3} << 40;
  std::uint64_t high = 0;
  for (const Hash128 hash : random_hashes(1000)) {
    for_each_probe(hash, {0, kCells}, 0, 8, [&](std::uint64_t cell) {
      EXPECT_LT(cell, kCells);
      high += cell >= kCells / 2 ? 1 : 0;
      return true;
    });
  }
  EXPECT_NEAR(static_cast<double>(high), 4000, 4 * std::sqrt(2000));
}

TEST(BloomShape, OfOneCapacityIsOne) {
  const FilterOptions options{.type = "bloom", .fpr = 0.01, .capacity = 5000};
  const auto header = [&](std::uint64_t n) {
    return BloomHeader::decode(build(options, random_hashes(n)));
  };
  for (const std::uint64_t n : {0U, 1U, 100U, 4999U, 5000U}) {
    EXPECT_EQ(header(n).cells(), header(0).cells());
    EXPECT_EQ(header(n).hashes, header(0).hashes);
    EXPECT_EQ(header(n).capacity, 5000U);
    EXPECT_EQ(header(n).keys, n);
  }
  EXPECT_GT(header(6000).cells(), header(0).cells());
  EXPECT_EQ(header(6000).capacity, 6000U);
}

TEST(BloomShape, OptionsOutOfRange) {
  const auto refused = [](const FilterOptions& options) {
    error_of(ErrorKind::usage, [&] { (void)type(options.type).forecast(100, options); });
    error_of(ErrorKind::usage, [&] { (void)build(options, random_hashes(100)); });
  };
  for (const double bits : {0.0, -1.0, 5000.0, std::nan("")}) {
    refused({.type = "bloom", .bits = bits});
  }
  refused({.type = "bloom", .capacity = std::uint64_t{1} << 60});
}

TEST(BloomShape, BitsPerKeyAreThoseOfTheSection) {
  for (const unsigned counter_bits : {1U, 3U, 4U, 32U}) {
    const FilterOptions options{.type = "counting-bloom", .bits = 40, .counter_bits = counter_bits};
    const double bits = 8 * static_cast<double>(build(options, random_hashes(10'000)).size());
    EXPECT_NEAR(bits / 10'000, 40, 0.1);
  }
}

TEST(BloomCells, AreWhatAModelHas) {
  for (unsigned bits = 1; bits <= 32; ++bits) {
    constexpr std::uint64_t kCount = 331;
    CellArray cells(kCount, bits);
    std::vector<std::uint64_t> model(kCount);
    const std::uint64_t limit = (std::uint64_t{1} << bits) - 1;
    std::uint64_t state = bits;
    for (int step = 0; step < 20'000; ++step) {
      state = base::mix64(state + 1);
      const std::uint64_t at = base::mulhi(state, kCount);
      // More ups than downs, so that narrow cells reach their limit.
      if ((state & 3) != 0) {
        cells.increment(at);
        if (model[at] != limit) ++model[at];
      } else if (model[at] != 0) {
        cells.decrement(at);
        if (model[at] != limit) --model[at];
      }
    }
    BloomHeader header;
    header.regions.cells = kCount;
    header.cell_bits = bits;
    cells.count_into(header);
    const auto none = static_cast<std::uint64_t>(std::ranges::count(model, std::uint64_t{0}));
    EXPECT_EQ(header.occupied, kCount - none) << bits;
    EXPECT_EQ(header.saturated, static_cast<std::uint64_t>(std::ranges::count(model, limit)));
    base::MemorySink sink;
    write_section(header, cells, true, sink);
    const CellArray read(BloomHeader::decode(sink.view()), sink.view());
    for (std::uint64_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(cells.value(i), model[i]) << bits;
      ASSERT_EQ(read.value(i), model[i]) << bits;
    }
  }
}

/// Wide counters that carry from word to word.
TEST(BloomCells, CarryAndBorrow) {
  for (const unsigned bits : {7U, 9U, 12U}) {
    CellArray cells(64, bits);
    for (std::uint64_t i = 0; i < 64; ++i) {
      for (std::uint64_t count = 0; count < cells.limit() - 1; ++count) cells.increment(i);
      ASSERT_EQ(cells.value(i), cells.limit() - 1);
    }
    for (std::uint64_t i = 0; i < 64; i += 2) {
      for (std::uint64_t count = 0; count < cells.limit() - 1; ++count) cells.decrement(i);
    }
    for (std::uint64_t i = 0; i < 64; ++i) {
      ASSERT_EQ(cells.value(i), i % 2 == 0 ? 0 : cells.limit() - 1) << bits << ", " << i;
    }
  }
}

TEST(CountingBloom, CountsAsAMultisetDoes) {
  const auto set = random_hashes(2000);
  const FilterOptions options{
      .type = "counting-bloom", .fpr = 0.001, .capacity = 8000, .counter_bits = 8};
  const base::Bytes empty = build(options, {});
  const auto editor = edit_counting_bloom(empty);
  std::map<Hash128, std::uint64_t> model;
  std::uint64_t size = 0;
  std::uint64_t state = 1;
  for (int step = 0; step < 12'000; ++step) {
    state = base::mix64(state + 1);
    const Hash128 hash = set[base::mulhi(state, set.size())];
    if ((state & 3) != 0) {
      ASSERT_TRUE(editor->add(hash));
      ++model[hash];
      ++size;
    } else if (model[hash] != 0) {
      ASSERT_TRUE(editor->remove(hash));
      --model[hash];
      --size;
    }
    ASSERT_EQ(editor->size(), size);
  }
  const base::Bytes section = written(*editor);
  const auto filter = open_counting_bloom(section);
  EXPECT_EQ(filter->size(), size);
  std::uint64_t exact = 0;
  for (const Hash128 hash : set) {
    ASSERT_GE(filter->count(hash), model[hash]);
    exact += filter->count(hash) == model[hash] ? 1 : 0;
  }
  EXPECT_GE(exact, set.size() * 99 / 100);

  // Every key taken out again leaves the empty filter, byte for byte.
  const auto back = edit_counting_bloom(section);
  for (const auto& [hash, count] : model) {
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_TRUE(back->remove(hash));
  }
  EXPECT_EQ(written(*back), empty);
}

/// A header may say that there are as many keys as there are numbers: none is added to that.
TEST(CountingBloom, CountsNoFurtherThanItCan) {
  base::Bytes section = build({.type = "counting-bloom"}, {});
  base::store_le(section.data() + 8, UINT64_MAX - 1);
  const auto editor = edit_counting_bloom(section);
  const auto hashes = test::random_hashes(2);
  EXPECT_TRUE(editor->add(hashes[0]));
  EXPECT_FALSE(editor->add(hashes[1]));
  EXPECT_EQ(editor->size(), UINT64_MAX);
}

TEST(CountingBloom, AddedIsAsBuilt) {
  const auto set = random_hashes(3000);
  for (const char* name : {"bloom", "counting-bloom"}) {
    const FilterOptions options{.type = name, .fpr = 0.01, .capacity = 3000};
    const base::Bytes part = build(options, {set.begin(), set.begin() + 1000});
    const auto editor = type(name).edit(part);
    EXPECT_EQ(editor->capacity(), 3000U);
    for (std::size_t i = 1000; i < set.size(); ++i) ASSERT_TRUE(editor->add(set[i]));
    BloomHeader added = BloomHeader::decode(written(*editor));
    const base::Bytes whole = build(options, set);
    // A plain filter does not count what it seems to hold already.
    EXPECT_NEAR(static_cast<double>(added.keys), 3000, 30);
    added.keys = 3000;
    EXPECT_EQ(added.encode(), BloomHeader::decode(whole).encode());
    const base::Bytes section = written(*editor);
    EXPECT_TRUE(std::equal(section.begin() + BloomHeader::kBytes, section.end(),
                           whole.begin() + BloomHeader::kBytes, whole.end()));
  }
}

TEST(Bloom, AddingAgainChangesNothing) {
  const auto set = random_hashes(500);
  const base::Bytes section = build({.type = "bloom"}, set);
  const auto editor = edit_bloom(section);
  for (const Hash128 hash : set) ASSERT_TRUE(editor->add(hash));
  EXPECT_EQ(written(*editor), section);
}

TEST(CountingBloom, WhatItLacksCannotBeRemoved) {
  const auto set = random_hashes(100);
  const base::Bytes section = build({.type = "counting-bloom", .fpr = 0.0001}, set);
  const auto other = random_hashes(100, 1);
  for (const Hash128 hash : other) EXPECT_FALSE(edit_counting_bloom(section)->remove(hash));
  const auto editor = edit_counting_bloom(section);
  for (const Hash128 hash : set) EXPECT_TRUE(editor->remove(hash));
  EXPECT_FALSE(editor->remove(set[0]));
}

TEST(CountingBloom, SaturatedCountersStay) {
  const auto set = random_hashes(300);
  const FilterOptions options{
      .type = "counting-bloom", .fpr = 0.01, .capacity = 400, .counter_bits = 2};
  const auto editor = edit_counting_bloom(build(options, set));
  const Hash128 often = random_hashes(1, 1)[0];
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(editor->add(often));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(editor->remove(often));
  const base::Bytes section = written(*editor);
  const BloomHeader header = BloomHeader::decode(section);
  EXPECT_GE(header.saturated, 1U);
  EXPECT_EQ(header.keys, 300U);
  const auto filter = open_counting_bloom(section);
  EXPECT_EQ(filter->count(often), 3U);
  EXPECT_EQ(count_maybes(*filter, set), set.size());
  const auto told = filter->parameters();
  const auto row = std::ranges::find(told, "saturated_counters", &Parameter::name);
  ASSERT_NE(row, told.end());
  EXPECT_EQ(std::get<std::uint64_t>(row->value), header.saturated);

  // However keys come and go, one that is in is found.
  const auto churn = edit_counting_bloom(section);
  const auto guests = random_hashes(100, 2);
  for (int round = 0; round < 5; ++round) {
    for (const Hash128 hash : guests) ASSERT_TRUE(churn->add(hash));
    for (const Hash128 hash : guests) ASSERT_TRUE(churn->remove(hash));
  }
  const base::Bytes after = written(*churn);
  EXPECT_EQ(count_maybes(*open_counting_bloom(after), set), set.size());
}

TEST(CountingBloom, OneBitCountersNeverGoDown) {
  const auto set = random_hashes(100);
  const FilterOptions options{.type = "counting-bloom", .counter_bits = 1};
  const base::Bytes section = build(options, set);
  EXPECT_EQ(BloomHeader::decode(section).saturated, BloomHeader::decode(section).occupied);
  const auto editor = edit_counting_bloom(section);
  for (const Hash128 hash : set) ASSERT_TRUE(editor->remove(hash));
  const base::Bytes after = written(*editor);
  EXPECT_EQ(open_counting_bloom(after)->size(), 0U);
  EXPECT_EQ(count_maybes(*open_counting_bloom(after), set), set.size());
}

/// The claim of the seed: 3 to 4 times a plain filter, here of as many cells.
TEST(CountingBloom, CostsFourTimesBloom) {
  const auto set = random_hashes(10'000);
  const auto bloom = static_cast<double>(build({.type = "bloom"}, set).size());
  const auto counting = static_cast<double>(build({.type = "counting-bloom"}, set).size());
  EXPECT_NEAR(counting / bloom, 4, 0.05);
}

TEST(BloomHeader, SaysNothingImpossible) {
  const base::Bytes sound = build({.type = "counting-bloom"}, random_hashes(1000));
  const auto refused = [&](std::size_t at, std::uint64_t value, const std::string& message) {
    base::Bytes damaged = sound;
    base::store_le(damaged.data() + at, value);
    const auto error = error_of(ErrorKind::corrupt, [&] { (void)open_counting_bloom(damaged); });
    EXPECT_NE(error.find("filter section: " + message), std::string::npos) << error;
  };
  for (const std::uint64_t cells : {std::uint64_t{0}, kMaxCells + 1, ~std::uint64_t{0}}) {
    refused(0, cells, "impossible number of cells");
  }
  refused(0, kMaxCells, "its length");
  refused(16, 0, "its counts");
  refused(24, std::uint64_t{4} << 32, "impossible number of hashes");
  refused(24, std::uint64_t{4} << 32 | 65, "impossible number of hashes");
  refused(24, 8, "impossible bits");
  refused(24, std::uint64_t{33} << 32 | 8, "impossible bits");
  refused(24, std::uint64_t{5} << 32 | 8, "its length");
  refused(32, 2, "its counts");
  refused(32, std::uint64_t{1} << 32, "impossible number of regions");
  refused(32, std::uint64_t{37} << 32, "impossible number of regions");
  refused(40, 1, "");
  refused(56, 1, "");
  ASSERT_NE(BloomHeader::decode(sound).cells() % 16, 0U);
  refused(sound.size() - 24, std::uint64_t{1} << 63, "has bits after its last cell");
  refused(sound.size() - 16, std::uint64_t{1} << 40, "its counts");
  refused(sound.size() - 8, 8'000, "its counts");
  EXPECT_NE(error_of(ErrorKind::corrupt, [&] { (void)open_bloom(sound); }).find("has counters"),
            std::string::npos);
}

}  // namespace
}  // namespace crivo::filter
