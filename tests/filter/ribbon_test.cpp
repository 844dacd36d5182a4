// The ribbon filter: no false negative, and the false-positive rate that was asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "filter/filter.hpp"
#include "support/ribbons.hpp"

namespace crivo::filter {
namespace {

using test::build_filter;
using test::random_hashes;

std::unique_ptr<const Membership> open(file::ByteView section) {
  return types().front().open(section);
}

/// The answers for `hashes`, which must be the same singly and in a batch.
std::uint64_t count_maybes(const Membership& filter, std::span<const Hash128> hashes) {
  const auto answers = std::make_unique<bool[]>(hashes.size());
  filter.contains(hashes, answers.get());
  std::uint64_t maybes = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const bool maybe = filter.contains(hashes[i]);
    EXPECT_EQ(maybe, answers[i]);
    maybes += maybe ? 1 : 0;
  }
  return maybes;
}

void expect_no_false_negative(const std::vector<Hash128>& set, unsigned bits) {
  const auto hashes = keys::SortedHashes::from_unsorted(set);
  const file::Bytes section = build_filter(hashes, bits);
  ASSERT_EQ(count_maybes(*open(section), set), set.size()) << set.size() << " keys, r = " << bits;
}

constexpr unsigned kWidths[] = {1, 2, 7, 8, 10, 16, 24, 32};

TEST(Registry, ListsRibbonAsTheDefault) {
  ASSERT_FALSE(types().empty());
  EXPECT_EQ(types().front().name, "ribbon");
  EXPECT_EQ(types().front().section_type, file::kRibbonSection);
}

TEST(RibbonFilter, HoldsEveryKeyOfSetsUpTo300) {
  for (std::uint64_t n = 0; n <= 300; ++n) {
    for (const unsigned bits : kWidths) expect_no_false_negative(random_hashes(n, n), bits);
  }
}

TEST(RibbonFilter, HoldsEveryKeyOfLargerSets) {
  for (const std::uint64_t n : {1000U, 11'500U, 19'999U, 20'000U, 20'001U, 65'537U}) {
    for (const unsigned bits : kWidths) expect_no_false_negative(random_hashes(n), bits);
  }
}

TEST(RibbonFilter, HoldsEveryKeyOfAMillion) {
  for (const unsigned bits : {1U, 16U}) expect_no_false_negative(random_hashes(1'000'000), bits);
}

TEST(RibbonFilter, HoldsEveryKeyOfSeveralPartitions) {
  expect_no_false_negative(random_hashes(2'200'000), 8);
}

TEST(RibbonFilter, HoldsEveryKeyOfHostileSets) {
  for (const std::uint64_t n : {300U, 40'000U}) {
    for (const auto& set : test::hostile_sets(n)) expect_no_false_negative(set, 8);
  }
}

TEST(RibbonFilter, MeasuredRateIsTheDesignedOne) {
  constexpr std::uint64_t kProbes = 250'000;
  const auto probes = random_hashes(kProbes, 77);
  for (const std::uint64_t n : {1U, 5000U, 120'000U}) {
    const auto hashes = keys::SortedHashes::from_unsorted(random_hashes(n));
    for (const unsigned bits : kWidths) {
      const file::Bytes section = build_filter(hashes, bits);
      const auto filter = open(section);
      const double rate = std::ldexp(1.0, -static_cast<int>(bits));
      EXPECT_EQ(filter->fpr(), rate);
      const double expected = rate * kProbes;
      const double sigma = std::sqrt(expected * (1 - rate));
      EXPECT_NEAR(static_cast<double>(count_maybes(*filter, probes)), expected, 3 * sigma + 1)
          << n << " keys, r = " << bits;
    }
  }
}

TEST(RibbonFilter, EmptyHoldsNothing) {
  for (const unsigned bits : kWidths) {
    const file::Bytes section = build_filter(keys::SortedHashes{}, bits);
    const auto filter = open(section);
    EXPECT_EQ(filter->fpr(), 0.0);
    EXPECT_EQ(count_maybes(*filter, random_hashes(5000)), 0U);
    EXPECT_FALSE(filter->contains(Hash128{0, 0}));
  }
}

TEST(RibbonFilter, BytesDoNotDependOnThreadsOrOrder) {
  auto set = random_hashes(30'000);
  const file::Bytes one = build_filter(keys::SortedHashes::from_unsorted(set), 10, 1);
  std::ranges::reverse(set);
  EXPECT_EQ(one, build_filter(keys::SortedHashes::from_unsorted(set), 10, 2));
}

TEST(RibbonFilter, RefusesWidthsOverThirtyTwo) {
  const auto hashes = keys::SortedHashes::from_unsorted(random_hashes(100));
  const file::Bytes wide = test::build_ribbon(hashes, 33);
  try {
    open(wide);
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt);
  }
}

}  // namespace
}  // namespace crivo::filter
