// SPDX-License-Identifier: Apache-2.0
// What coded values are made of: codes, histograms, plans, the bits of a key.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "base/cpu.hpp"
#include "stream/sorted_hashes.hpp"
#include "structures/csf/build/histogram.hpp"
#include "structures/csf/build/plan.hpp"
#include "structures/csf/code_ribbon.hpp"
#include "structures/csf/prefix_code.hpp"
#include "structures/csf/section.hpp"
#include "support/coded.hpp"
#include "support/hashes.hpp"

namespace crivo::csf {
namespace {

unsigned longest(const LengthCounts& counts) {
  unsigned length = 0;
  for (unsigned l = 0; l <= kMaxCodeBits; ++l) length = counts[l] != 0 ? l : length;
  return length;
}

std::vector<std::vector<std::uint64_t>> many_weights() {
  std::vector<std::vector<std::uint64_t>> sets{{1}, {7, 0}, {5, 5, 5}, {9, 1, 1, 1, 1, 0, 0}};
  std::mt19937_64 random(3);
  for (const std::size_t size : {2U, 10U, 300U, 5000U, kMaxCodewords}) {
    std::vector<std::uint64_t> weights(size);
    for (auto& weight : weights) weight = random() >> (24 + random() % 40);
    std::ranges::sort(weights, std::greater<>());
    sets.push_back(weights);
  }
  std::vector<std::uint64_t> fibonacci{1, 1};
  while (fibonacci.size() < 55)
    fibonacci.push_back(*fibonacci.rbegin() + *(fibonacci.rbegin() + 1));
  std::ranges::reverse(fibonacci);
  for (std::size_t skip = 0; skip < 50; ++skip) {
    sets.emplace_back(fibonacci.begin() + static_cast<std::ptrdiff_t>(skip), fibonacci.end());
  }
  return sets;
}

TEST(PrefixCode, IsCompleteAndNotTooLong) {
  for (const auto& weights : many_weights()) {
    const LengthCounts counts = optimal_code(weights);
    std::uint64_t codes = 0;
    for (const std::uint32_t count : counts) codes += count;
    EXPECT_EQ(codes, weights.size());
    EXPECT_TRUE(is_complete(counts));
  }
}

TEST(PrefixCode, CostsAtMostABitOverTheEntropy) {
  for (const auto& weights : many_weights()) {
    double sum = 0;
    for (const std::uint64_t weight : weights) sum += static_cast<double>(weight);
    double entropy = 0;
    for (const std::uint64_t weight : weights) {
      const auto w = static_cast<double>(weight);
      if (weight != 0) entropy += w * std::log2(sum / w);
    }
    const auto cost = static_cast<double>(optimal_code_cost(weights));
    EXPECT_GE(cost, entropy * 0.999999);
    EXPECT_LE(cost, entropy + 1.01 * sum);
  }
  const std::vector<std::uint64_t> dyadic{8, 4, 2, 1, 1};
  EXPECT_EQ(optimal_code_cost(dyadic), 8U + 8U + 6U + 4U + 4U);
}

TEST(PrefixCode, DecoderFindsEveryCodewordWhateverFollows) {
  for (const auto& weights : many_weights()) {
    if (weights.size() < 2) continue;
    const LengthCounts counts = optimal_code(weights);
    const Decoder decoder(counts, longest(counts));
    const std::vector<Codeword> words = codewords(counts);
    ASSERT_EQ(words.size(), weights.size());
    for (std::uint32_t i = 0; i < words.size(); ++i) {
      ASSERT_EQ(decoder.index(words[i].bits), i);
      ASSERT_EQ(decoder.index(words[i].bits | ~std::uint32_t{0} << words[i].length), i);
    }
  }
}

TEST(PrefixCode, IncompleteOrOverfullCountsAreKnown) {
  LengthCounts counts{};
  EXPECT_FALSE(is_complete(counts));
  counts[1] = 1;
  EXPECT_FALSE(is_complete(counts));
  counts[2] = 1;
  EXPECT_FALSE(is_complete(counts));
  counts[2] = 2;
  EXPECT_TRUE(is_complete(counts));
  counts[0] = 1;
  EXPECT_FALSE(is_complete(counts));
}

TEST(ValueIndex, NumbersValuesByAppearance) {
  std::mt19937_64 random(5);
  ValueIndex index(1000);
  std::map<std::uint64_t, std::uint32_t> expected;
  while (expected.size() < 1000) {
    const std::uint64_t value = random() % 1500 << (random() % 2 * 50);
    const auto number = static_cast<std::uint32_t>(expected.size());
    EXPECT_EQ(index.find(value), expected.contains(value) ? expected[value] : ValueIndex::kNone);
    expected.emplace(value, number);
    EXPECT_EQ(index.insert(value), expected[value]);
  }
}

TEST(Log2, IsExactToTheBit) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    EXPECT_EQ(log2_fixed(std::uint64_t{1} << bit), std::uint64_t{bit} << 32);
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t x = random() >> (random() % 64);
    if (x == 0) continue;
    EXPECT_NEAR(static_cast<double>(log2_fixed(x)) * 0x1p-32, std::log2(static_cast<double>(x)),
                1e-9);
  }
}

Histogram histogram_of(const std::vector<std::uint64_t>& values, unsigned threads = 1) {
  base::Progress progress;
  return csf::histogram_of(stream::SortedHashes(test::ascending_hashes(values.size()), values), {},
                           {threads, progress});
}

void expect_histogram(const std::vector<std::uint64_t>& values) {
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const std::uint64_t value : values) ++counts[value];
  std::vector<std::pair<std::uint64_t, std::uint64_t>> expected;  // descending count, value
  double entropy = 0;
  for (const auto& [value, count] : counts) {
    expected.emplace_back(~count, value);
    const double share = static_cast<double>(count) / static_cast<double>(values.size());
    entropy -= share * std::log2(share);
  }
  std::ranges::sort(expected);
  if (expected.size() > kMaxSymbols) expected.resize(kMaxSymbols);
  for (const unsigned threads : {1U, 3U}) {
    const Histogram histogram = histogram_of(values, threads);
    EXPECT_EQ(histogram.n, values.size());
    EXPECT_EQ(histogram.width, counts.empty() ? 0 : std::bit_width(counts.rbegin()->first));
    EXPECT_NEAR(static_cast<double>(histogram.entropy) * 0x1p-32, entropy, 1e-6);
    ASSERT_EQ(histogram.symbols.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(histogram.symbols[i].value, expected[i].second) << i;
      ASSERT_EQ(histogram.symbols[i].count, ~expected[i].first) << i;
    }
  }
}

TEST(Histogram, CountsFewAndManyValues) {
  expect_histogram({});
  expect_histogram({UINT64_MAX});
  for (const auto& set : test::distributions(2000)) expect_histogram(set.values);
  for (const std::uint64_t distinct : {kMaxSymbols - 1, kMaxSymbols, kMaxSymbols + 1}) {
    std::vector<std::uint64_t> values(70'000);
    for (std::uint64_t i = 0; i < values.size(); ++i) values[i] = base::mix64(i % distinct);
    expect_histogram(values);
  }
  auto values = test::zipf_values(200'000, 90'000, 0.4);  // no room for some that occur as often
  expect_histogram(values);
}

TEST(Histogram, OfASampleHasTheFrequentValues) {
  const std::uint64_t n = kSampleKeys + 300'000;
  auto values = test::uniform_values(n, 64);  // every other one occurs nowhere else
  for (std::uint64_t i = 0; i < n; i += 2) values[i] = i / 2 % 8 == 0 ? 7 : 1;
  const Histogram histogram = histogram_of(values);
  EXPECT_EQ(histogram.n, n);
  EXPECT_EQ(histogram.width, 64U);
  ASSERT_EQ(histogram.symbols.size(), 2U);
  EXPECT_EQ(histogram.symbols[0].value, 1U);
  EXPECT_EQ(histogram.symbols[1].value, 7U);
  EXPECT_NEAR(static_cast<double>(histogram.symbols[0].count), 7.0 / 16 * n, 0.01 * n);
  EXPECT_NEAR(static_cast<double>(histogram.symbols[1].count), 1.0 / 16 * n, 0.01 * n);
  const Histogram again = histogram_of(values, 3);
  EXPECT_EQ(again.entropy, histogram.entropy);
  ASSERT_EQ(again.symbols.size(), 2U);
  EXPECT_EQ(again.symbols[0].count, histogram.symbols[0].count);
  EXPECT_EQ(again.symbols[1].count, histogram.symbols[1].count);
}

TEST(Histogram, OfASampleLeavesRoomForValuesThatItLacks) {
  // All values are in the sample some times, and yet they might not be all.
  const std::uint64_t n = std::uint64_t{1} << 21;
  std::vector<std::uint64_t> values(n);
  for (std::uint64_t i = 0; i < n; ++i) values[i] = i % 66'000;
  const Histogram histogram = histogram_of(values);
  std::uint64_t covered = 0;
  for (const Symbol& symbol : histogram.symbols) covered += symbol.count;
  EXPECT_LE(histogram.symbols.size(), kMaxSymbols);
  EXPECT_LT(covered, n);
}

TEST(Plan, ChoosesFiltersCodesAndPlainValues) {
  const auto plan_of = [](const std::vector<std::uint64_t>& values) {
    return make_plan(histogram_of(values));
  };
  EXPECT_TRUE(plan_of({}).empty());
  const auto constant = plan_of(std::vector<std::uint64_t>(5000, 77));
  ASSERT_EQ(constant.size(), 1U);
  EXPECT_EQ(constant[0].symbols, std::vector<std::uint64_t>{77});
  EXPECT_EQ(constant[0].code_bits, 0U);
  const auto uniform = plan_of(test::uniform_values(50'000, 64));
  ASSERT_EQ(uniform.size(), 1U);
  EXPECT_TRUE(uniform[0].plain);
  const auto geometric = plan_of(test::geometric_values(50'000, 0.5));
  ASSERT_EQ(geometric.size(), 1U);
  EXPECT_EQ(geometric[0].filter_bits, 0U);
  EXPECT_EQ(geometric[0].lengths[1], 1U);
  const auto rare = plan_of(test::two_values(50'000, 0.05, 8, 9));
  ASSERT_EQ(rare.size(), 1U);
  EXPECT_EQ(rare[0].filter_bits, 4U);
  EXPECT_EQ(rare[0].dominant, 8U);
  for (const auto& set : test::distributions(20'000)) {
    const auto plan = plan_of(set.values);
    ASSERT_LE(plan.size(), kMaxLevels);
    for (std::size_t level = 0; level < plan.size(); ++level) {
      EXPECT_EQ(plan[level].escape.has_value(), level + 1 < plan.size()) << set.name;
    }
  }
}

TEST(CodeBits, AreTheSumsOfTheSlotsThatTheCoefficientsSelect) {
  std::mt19937_64 random(11);
  base::Bytes slots(64);
  for (std::byte& byte : slots) byte = static_cast<std::byte>(random());
  std::vector<Place> places;
  std::vector<std::uint32_t> expected;
  for (unsigned start = 0; start < 300; ++start) {
    const Place place{slots.data() + start / 8, start % 8,
                      coefficients({random() >> (start % 64), random() >> (start % 64)})};
    places.push_back(place);
    std::uint32_t sums = 0;
    for (unsigned row = 0; row < 32; ++row) {
      unsigned sum = 0;
      for (unsigned j = 0; j < kBandBits; ++j) {
        const std::uint64_t word = j < 64 ? place.coefficients.first : place.coefficients.second;
        const unsigned slot = start + row + j;
        const auto eight = std::to_integer<unsigned>(slots[slot / 8]);
        sum ^= static_cast<unsigned>(word >> (63 - j % 64)) & (eight >> (slot % 8)) & 1U;
      }
      sums |= sum << row;
    }
    expected.push_back(sums);
  }
  constexpr std::uint32_t kMask = (1U << kMaxCodeBits) - 1;
  const auto expect_bits = [&](ReadBits kernel) {
    std::vector<std::uint32_t> bits(places.size());
    kernel(places.data(), places.size(), bits.data());
    for (std::size_t i = 0; i < bits.size(); ++i) ASSERT_EQ(bits[i] & kMask, expected[i] & kMask);
  };
  expect_bits(read_bits_portable);
  expect_bits(read_bits());
}

}  // namespace
}  // namespace crivo::csf
