// SPDX-License-Identifier: Apache-2.0
// What is the ribbon filter's own: the registry's default, exact rates, hostile hashes, widths.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "structures/ribbon/build/builder.hpp"
#include "structures/ribbon/table.hpp"
#include "support/filters.hpp"
#include "support/hashes.hpp"
#include "support/ribbons.hpp"
#include "support/sizes.hpp"

namespace crivo::filter {
namespace {

using test::random_hashes;

constexpr unsigned kWidths[] = {1, 2, 7, 8, 10, 16, 24, 32};

base::Bytes build(const stream::SortedHashes& hashes, unsigned bits) {
  FilterOptions options;
  options.bits = bits;
  return test::build_filter(builders().front(), hashes, options);
}

TEST(Registry, ListsRibbonAsTheDefault) {
  ASSERT_FALSE(builders().empty());
  EXPECT_EQ(builders().front().name, "ribbon");
  EXPECT_EQ(builders().front().type().section_type, file::kRibbonSection);
}

TEST(RibbonFilter, EveryWidthHoldsEveryKey) {
  for (const std::uint64_t n : {0U, 1U, 63U, 64U, 65U, 1000U, 4'095U, 4'096U, 65'537U}) {
    const auto set = random_hashes(n);
    const auto hashes = stream::SortedHashes::from_unsorted(set);
    for (const unsigned bits : kWidths) {
      const base::Bytes section = build(hashes, bits);
      const auto filter = open_ribbon(section);
      EXPECT_EQ(filter->fpr(), n == 0 ? 0 : std::ldexp(1.0, -static_cast<int>(bits)));
      ASSERT_EQ(test::count_maybes(*filter, set), n) << "r = " << bits;
    }
  }
}

TEST(RibbonFilter, HoldsEveryKeyOfHostileSets) {
  for (const std::uint64_t n : {300U, 40'000U}) {
    for (const auto& set : test::hostile_sets(n)) {
      const auto hashes = stream::SortedHashes::from_unsorted(set);
      const base::Bytes section = build(hashes, 8);
      ASSERT_EQ(test::count_maybes(*open_ribbon(section), set), n);
    }
  }
}

TEST(RibbonFilter, HoldsKeysThatShareTheFirstHalfOfTheirHash) {
  for (const std::uint64_t n : {300U, 40'000U}) {
    auto set = random_hashes(n);
    for (std::uint64_t i = 1; i < n; i += i % 3) set[i].hi = set[i - 1].hi;
    const auto hashes = stream::SortedHashes::from_unsorted(set);
    ASSERT_EQ(hashes.size(), n);
    const base::Bytes section = build(hashes, 12);
    ASSERT_EQ(test::count_maybes(*open_ribbon(section), set), n);
  }
}

TEST(RibbonFilter, MeetsTheRateThatIsAskedAndNoMore) {
  constexpr std::uint64_t kKeys = 200'000;
  constexpr std::uint64_t kOthers = 1'000'000 / test::kFewer;
  const auto set = random_hashes(kKeys);
  const auto hashes = stream::SortedHashes::from_unsorted(set);
  const auto others = random_hashes(kOthers, 9);
  double bits_before = 0;
  for (const double fpr : {0.7, 0.5, 0.3, 0.03, 0.01, 0.004, 1.0 / 256, 0.0003}) {
    FilterOptions options;
    options.fpr = fpr;
    const base::Bytes section = test::build_filter(builders().front(), hashes, options);
    const auto filter = open_ribbon(section);
    EXPECT_LE(filter->fpr(), fpr);
    EXPECT_GT(filter->fpr(), fpr * 0.999999);
    EXPECT_EQ(filter->fpr(), forecast_ribbon(kKeys, options).fpr);
    ASSERT_EQ(test::count_maybes(*filter, set), kKeys) << fpr;
    const auto passed = static_cast<double>(test::count_maybes(*filter, others));
    EXPECT_NEAR(passed, kOthers * fpr, 4.5 * std::sqrt(kOthers * fpr * (1 - fpr)) + 1) << fpr;
    const double bits = 8.0 * static_cast<double>(section.size()) / kKeys;
    EXPECT_NEAR(bits, forecast_ribbon(kKeys, options).bits_per_key, 0.02) << fpr;
    EXPECT_GT(bits, bits_before);
    bits_before = bits;
  }
}

TEST(RibbonFilter, OfOneKeyIsTheExampleOfItsFormat) {
  const auto one =
      stream::SortedHashes::from_unsorted(std::vector<Hash128>{{0x8000000000000001U, 2}});
  const base::Bytes section = build(one, 8);
  ASSERT_EQ(section.size(), 104U);
  constexpr std::uint8_t kColumns[] = {1, 1, 0, 1, 0, 0, 1, 1};
  for (std::size_t i = 0; i < std::size(kColumns); ++i) {
    EXPECT_EQ(section[64 + i], std::byte{kColumns[i]}) << i;
  }
}

TEST(RibbonFilter, RefusesWidthsOverThirtyTwo) {
  const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(100));
  const base::Bytes wide = test::build_ribbon(hashes, 33, 1, ribbon::HashPart::first_half);
  try {
    open_ribbon(wide);
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt);
  }
}

}  // namespace
}  // namespace crivo::filter
