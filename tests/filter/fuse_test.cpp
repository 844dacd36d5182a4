// SPDX-License-Identifier: Apache-2.0
// What is the fuse filter's own: its arities, widths, the sizes it plans.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "build/chosen.hpp"
#include "lookup/filter_file.hpp"
#include "structures/fuse/build/builder.hpp"
#include "structures/fuse/table.hpp"
#include "support/errors.hpp"
#include "support/filters.hpp"
#include "support/fuses.hpp"
#include "support/hashes.hpp"

namespace crivo::filter {
namespace {

using test::random_hashes;

FilterOptions fuse_options(unsigned bits, unsigned arity) {
  FilterOptions options;
  options.type = "fuse";
  options.bits = bits;
  options.arity = arity;
  return options;
}

TEST(FuseFilter, EveryWidthAndArityHoldsEveryKey) {
  const FilterOptions narrow = fuse_options(8, 4);
  const Builder& type = find_type(narrow);
  for (const std::uint64_t n : {1U, 64U, 4'095U, 4'096U, 65'537U}) {
    const auto set = random_hashes(n);
    const auto hashes = stream::SortedHashes::from_unsorted(set);
    for (const unsigned arity : {3U, 4U}) {
      for (const unsigned bits : {1U, 7U, 8U, 10U, 16U, 24U, 32U}) {
        const FilterOptions options = fuse_options(bits, arity);
        const base::Bytes section = test::build_filter(type, hashes, options);
        const auto filter = open_fuse(section);
        EXPECT_EQ(filter->fpr(), std::ldexp(1.0, -static_cast<int>(bits)));
        ASSERT_EQ(test::count_maybes(*filter, set), n) << "r = " << bits;
        const double planned = forecast_fuse(n, options).bits_per_key * static_cast<double>(n);
        EXPECT_NEAR(8.0 * static_cast<double>(section.size()), planned, 0.01 * planned + 2000);
      }
    }
  }
}

TEST(FuseFilter, HoldsKeysThatShareTheFirstHalfOfTheirHash) {
  const FilterOptions narrow = fuse_options(8, 4);
  const Builder& type = find_type(narrow);
  for (const std::uint64_t n : {300U, 40'000U}) {
    auto set = random_hashes(n);
    for (std::uint64_t i = 2; i < n; i += 5) set[i].hi = set[i - 1].hi = set[i - 2].hi;
    const auto hashes = stream::SortedHashes::from_unsorted(set);
    ASSERT_EQ(hashes.size(), n);
    for (const unsigned arity : {3U, 4U}) {
      const base::Bytes section = test::build_filter(type, hashes, fuse_options(9, arity));
      ASSERT_EQ(test::count_maybes(*open_fuse(section), set), n);
    }
  }
}

TEST(FuseFilter, TheArityIsThreeOrFour) {
  for (const unsigned arity : {0U, 1U, 2U, 5U}) {
    test::error_of(ErrorKind::usage, [&] { find_type(fuse_options(8, arity)); });
  }
  FilterOptions ribbon;
  ribbon.arity = 3;
  test::error_of(ErrorKind::usage, [&] { find_type(ribbon); });
}

TEST(FuseFilter, RefusesWidthsOverThirtyTwo) {
  for (const std::uint64_t n : {100U, 20'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    const base::Bytes wide = test::build_fuse(hashes, 33, 4);
    test::error_of(ErrorKind::corrupt, [&] { open_fuse(wide); });
  }
}

}  // namespace
}  // namespace crivo::filter
