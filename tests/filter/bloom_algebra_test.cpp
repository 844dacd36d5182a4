// SPDX-License-Identifier: Apache-2.0
// Unions and intersections of Bloom filters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "structures/bloom/bloom.hpp"
#include "structures/bloom/build/bloom.hpp"
#include "structures/bloom/cells.hpp"
#include "support/errors.hpp"
#include "support/filters.hpp"
#include "support/hashes.hpp"

namespace crivo::filter {
namespace {

using test::count_maybes;
using test::error_of;
using test::random_hashes;

const FilterOptions kOptions{.type = "bloom", .fpr = 0.01, .capacity = 20'000};

base::Bytes build(const std::vector<Hash128>& set, const FilterOptions& options = kOptions) {
  const Builder& type = *std::ranges::find(builders(), "bloom", &Builder::name);
  return test::build_filter(type, stream::SortedHashes::from_unsorted(set), options);
}

struct Result {
  base::Bytes section;
  Combined combined;
};

Result combine(const std::vector<base::Bytes>& filters, SetOperation operation) {
  std::vector<NamedSection> sections;
  for (const base::Bytes& filter : filters) {
    sections.push_back({"f" + std::to_string(sections.size()), filter});
  }
  base::MemorySink sink;
  const Combined combined = combine_bloom(sections, operation, sink);
  return {sink.take(), combined};
}

void expect_near(const SizeEstimate& estimate, std::uint64_t truth) {
  EXPECT_NEAR(estimate.keys, static_cast<double>(truth), 4 * estimate.sigma + 0.5);
  EXPECT_LE(estimate.sigma, 0.05 * 20'000);
}

/// The hashes from `begin` to `end` of one sequence.
std::vector<Hash128> range(std::size_t begin, std::size_t end) {
  static const auto all = random_hashes(20'000);
  return {all.begin() + static_cast<std::ptrdiff_t>(begin),
          all.begin() + static_cast<std::ptrdiff_t>(end)};
}

TEST(BloomAlgebra, UnionIsTheFilterOfAllKeys) {
  const Result united = combine({build(range(0, 9000)), build(range(4000, 15'000)),
                                 build(range(0, 100)), build(range(14'000, 20'000))},
                                SetOperation::unite);
  const base::Bytes whole = build(range(0, 20'000));
  EXPECT_TRUE(std::equal(whole.begin() + BloomHeader::kBytes, whole.end(),
                         united.section.begin() + BloomHeader::kBytes, united.section.end()));
  const BloomHeader header = BloomHeader::decode(united.section);
  EXPECT_TRUE(header.estimated);
  EXPECT_EQ(header.occupied, BloomHeader::decode(whole).occupied);
  EXPECT_EQ(header.keys, united.combined.keys);
  expect_near(united.combined.sizes.united, 20'000);
}

TEST(BloomAlgebra, SizesOfTwo) {
  for (const std::size_t common : {0U, 1U, 10U, 1000U, 8000U, 10'000U}) {
    const base::Bytes a = build(range(0, 10'000));
    const base::Bytes b = build(range(10'000 - common, 20'000 - common));
    const Result both = combine({a, b}, SetOperation::intersect);
    const auto [united, intersection] = both.combined.sizes;
    expect_near(united, 20'000 - common);
    ASSERT_TRUE(intersection);
    expect_near(*intersection, common);
    EXPECT_EQ(both.combined.keys, static_cast<std::uint64_t>(std::llround(intersection->keys)));
    const auto filter = open_bloom(both.section);
    EXPECT_EQ(count_maybes(*filter, range(10'000 - common, 10'000)), common);
    // What is in neither passes at the rate that the filter tells.
    const auto passed = static_cast<double>(count_maybes(*filter, random_hashes(100'000, 3)));
    const double expected = filter->fpr() * 100'000;
    EXPECT_NEAR(passed, expected, 4 * std::sqrt(expected) + 1);
    // The order of the operands is nothing to the result.
    EXPECT_EQ(combine({b, a}, SetOperation::intersect).section, both.section);
  }
}

TEST(BloomAlgebra, SizesOfThreeAndFour) {
  const base::Bytes a = build(range(0, 9000));
  const base::Bytes b = build(range(3000, 12'000));
  const base::Bytes c = build(range(6000, 15'000));
  expect_near(*combine({a, b, c}, SetOperation::intersect).combined.sizes.common, 3000);
  const base::Bytes d = build(range(8000, 10'000));
  const Result all = combine({a, b, c, d}, SetOperation::intersect);
  expect_near(*all.combined.sizes.common, 1000);
  expect_near(all.combined.sizes.united, 15'000);
  EXPECT_EQ(count_maybes(*open_bloom(all.section), range(8000, 9000)), 1000U);
}

TEST(BloomAlgebra, OfEmptyAndOfFull) {
  const base::Bytes none = build({});
  const Result empty = combine({none, none}, SetOperation::unite);
  EXPECT_EQ(empty.combined.keys, 0U);
  EXPECT_EQ(empty.combined.sizes.united.keys, 0);
  const Result nothing = combine({none, build(range(0, 20'000))}, SetOperation::intersect);
  EXPECT_EQ(nothing.combined.keys, 0U);
  EXPECT_EQ(count_maybes(*open_bloom(nothing.section), range(0, 20'000)), 0U);

  const FilterOptions tiny{.type = "bloom", .bits = 0.01, .hashes = 3};
  const base::Bytes full = build(range(0, 500), tiny);
  ASSERT_EQ(BloomHeader::decode(full).occupied, BloomHeader::decode(full).cells());
  const Result crowded = combine({full, full}, SetOperation::unite);
  EXPECT_GE(crowded.combined.keys, 500U);
  EXPECT_LE(crowded.combined.keys, 1000U);
}

TEST(BloomAlgebra, ManyAreUnitedWithoutTheirIntersection) {
  std::vector<base::Bytes> filters;
  for (std::size_t i = 0; i <= kMaxIntersected; ++i) {
    filters.push_back(build(range(i * 100, i * 100 + 200)));
  }
  const Result united = combine(filters, SetOperation::unite);
  EXPECT_FALSE(united.combined.sizes.common);
  expect_near(united.combined.sizes.united, 100 * kMaxIntersected + 200);
}

TEST(BloomAlgebra, SaysWhatDiffers) {
  const base::Bytes one = build(range(0, 100), {.type = "bloom", .bits = 10, .hashes = 7});
  const base::Bytes longer = build(range(0, 100), {.type = "bloom", .bits = 11, .hashes = 7});
  const base::Bytes fewer = build(range(0, 100), {.type = "bloom", .bits = 10, .hashes = 3});
  EXPECT_TRUE(error_of(ErrorKind::usage, [&] {
                (void)combine({one, longer}, SetOperation::unite);
              }).starts_with("f1: has 1100 cells, and f0 has 1000"));
  EXPECT_TRUE(error_of(ErrorKind::usage, [&] {
                (void)combine({one, one, fewer}, SetOperation::intersect);
              }).starts_with("f2: has 3 hashes, and f0 has 7"));
}

}  // namespace
}  // namespace crivo::filter
