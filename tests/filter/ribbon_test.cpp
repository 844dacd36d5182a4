// What is the ribbon filter's own: the registry's default, exact rates, hostile hashes, widths.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "structures/ribbon/filter.hpp"
#include "support/filters.hpp"
#include "support/hashes.hpp"
#include "support/ribbons.hpp"

namespace crivo::filter {
namespace {

using test::random_hashes;

constexpr unsigned kWidths[] = {1, 2, 7, 8, 10, 16, 24, 32};

base::Bytes build(const stream::SortedHashes& hashes, unsigned bits) {
  FilterOptions options;
  options.bits = bits;
  return test::build_filter(types().front(), hashes, options);
}

TEST(Registry, ListsRibbonAsTheDefault) {
  ASSERT_FALSE(types().empty());
  EXPECT_EQ(types().front().name, "ribbon");
  EXPECT_EQ(types().front().section_type, file::kRibbonSection);
}

TEST(RibbonFilter, EveryWidthHoldsEveryKey) {
  for (const std::uint64_t n : {0U, 1U, 63U, 64U, 65U, 1000U, 19'999U, 20'000U, 65'537U}) {
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

TEST(RibbonFilter, RefusesWidthsOverThirtyTwo) {
  const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(100));
  const base::Bytes wide = test::build_ribbon(hashes, 33, 1, ribbon::Layout::blocks_of_64);
  try {
    open_ribbon(wide);
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt);
  }
}

}  // namespace
}  // namespace crivo::filter
