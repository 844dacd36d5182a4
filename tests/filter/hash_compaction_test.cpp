// SPDX-License-Identifier: Apache-2.0
// What is the hash-compaction filter's own: it is the set of its compressed keys, no more and no
// less.
#include "structures/hash_compaction/hash_compaction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "base/arithmetic.hpp"
#include "file/section_types.hpp"
#include "support/errors.hpp"
#include "support/filters.hpp"
#include "support/hashes.hpp"

namespace crivo::filter {
namespace {

using test::count_maybes;
using test::random_hashes;

const Builder& compaction_type() {
  return *std::ranges::find(builders(), "hash-compaction", &Builder::name);
}

FilterOptions compaction_with_bits(double bits) {
  FilterOptions options;
  options.type = compaction_type().name;
  options.bits = bits;
  return options;
}

/// Answers are those of a std::set of compressed keys.
TEST(HashCompaction, IsTheSetOfCompressedKeys) {
  const auto probes = random_hashes(3000, 9);
  for (const std::uint64_t n : {0U, 1U, 2U, 50U, 1000U, 4000U}) {
    const auto set = random_hashes(n);
    const auto hashes = stream::SortedHashes::from_unsorted(set);
    for (unsigned bits = 2; bits <= 64; ++bits) {
      const std::uint64_t values = ~std::uint64_t{0} >> (64 - bits);
      const auto compress = [&](Hash128 hash) { return 1 + base::mulhi(hash.hi, values); };
      std::set<std::uint64_t> compressed;
      for (const Hash128 hash : set) compressed.insert(compress(hash));
      const base::Bytes section =
          test::build_filter(compaction_type(), hashes, compaction_with_bits(bits));
      const auto filter = compaction_type().type().open(section);
      ASSERT_EQ(count_maybes(*filter, set), n) << bits << " bits";
      ASSERT_DOUBLE_EQ(filter->fpr(),
                       static_cast<double>(compressed.size()) / static_cast<double>(values));
      for (const Hash128 probe : probes) {
        ASSERT_EQ(filter->contains(probe), compressed.contains(compress(probe)))
            << n << " keys, " << bits << " bits";
      }
    }
  }
}

TEST(HashCompaction, HoldsEveryKeyOfHostileSets) {
  for (const auto& set : test::hostile_sets(3000)) {
    const auto hashes = stream::SortedHashes::from_unsorted(set);
    for (const unsigned bits : {8U, 20U, 40U, 64U}) {
      const base::Bytes section =
          test::build_filter(compaction_type(), hashes, compaction_with_bits(bits));
      ASSERT_EQ(count_maybes(*compaction_type().type().open(section), set), set.size());
    }
  }
}

/// As the thesis says: twice the keys, twice the rate; a bit more, half.
TEST(HashCompaction, WidthGrowsWithTheKeys) {
  FilterOptions options;
  options.type = compaction_type().name;
  options.fpr = 1.0 / 256;
  const auto bits = [&](std::uint64_t n) {
    return 0.9 * compaction_type().forecast(n, options).bits_per_key;
  };
  EXPECT_NEAR(bits(1'000'000), 28, 0.1);
  EXPECT_NEAR(bits(2'000'000), 29, 0.1);
  EXPECT_NEAR(bits(1'000'000'000), 38, 0.1);
}

TEST(HashCompaction, RefusesWhatItCannotBe) {
  using test::error_of;
  for (const double bits : {1.0, 65.0, 7.5}) {
    error_of(ErrorKind::usage,
             [&] { (void)compaction_type().forecast(10, compaction_with_bits(bits)); });
  }
  FilterOptions options;
  options.type = compaction_type().name;
  options.fpr = std::ldexp(1.0, -32);
  error_of(ErrorKind::usage,
           [&] { (void)compaction_type().forecast(std::uint64_t{1} << 40, options); });
}

}  // namespace
}  // namespace crivo::filter
