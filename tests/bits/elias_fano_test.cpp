// SPDX-License-Identifier: Apache-2.0
// Ascending numbers in Elias-Fano form come back, in the space that is claimed.

#include "structures/bits/elias_fano.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"

namespace crivo::bits {
namespace {

void expect_round_trip(const std::vector<std::uint64_t>& values, std::uint64_t universe) {
  base::MemorySink sink;
  EliasFano::write(values, universe, sink);
  EXPECT_EQ(sink.size() % 8, 0U);
  base::FieldReader reader(sink.view(), "list");
  const EliasFano list(reader, universe);
  EXPECT_EQ(reader.remaining(), 0U);
  ASSERT_EQ(list.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(list[i], values[i]) << "index " << i;
  EXPECT_EQ(list[values.size()], 0U);
  EXPECT_EQ(list[~std::uint64_t{0}], 0U);
}

std::vector<std::uint64_t> random_values(std::size_t count, std::uint64_t universe) {
  std::set<std::uint64_t> values;
  for (std::uint64_t i = 0; values.size() < count; ++i)
    values.insert(base::mix64(i + 1) % universe);
  return {values.begin(), values.end()};
}

TEST(EliasFano, Empty) {
  expect_round_trip({}, 0);
  expect_round_trip({}, 1000);
}

TEST(EliasFano, RandomValues) {
  for (const std::size_t count : {1U, 2U, 63U, 64U, 65U, 127U, 128U, 129U, 5000U}) {
    for (const std::uint64_t universe :
         {std::uint64_t{10'000}, std::uint64_t{1} << 20, std::uint64_t{1} << 48}) {
      expect_round_trip(random_values(count, universe), universe);
    }
  }
}

TEST(EliasFano, AllValues) {
  std::vector<std::uint64_t> all(1000);
  for (std::uint64_t i = 0; i < all.size(); ++i) all[i] = i;
  expect_round_trip(all, all.size());
}

TEST(EliasFano, UnevenlySpread) {
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < 300; ++i) values.push_back(i);
  for (std::uint64_t i = 0; i < 300; ++i) values.push_back(1'000'000 - 300 + i);
  expect_round_trip(values, 1'000'000);
}

TEST(EliasFano, TheSpaceIsClaimed) {
  const auto values = random_values(10'000, 800'000);
  base::MemorySink sink;
  EliasFano::write(values, 800'000, sink);
  EXPECT_LT(8.0 * static_cast<double>(sink.size()) / 10'000, 2 + 6.33 + 0.6);  // log2(80) = 6.33
}

TEST(EliasFano, MoreValuesThanTheUniverse) {
  base::Bytes bytes(64);
  bytes[0] = std::byte{11};
  base::FieldReader reader(bytes, "list");
  EXPECT_THROW(EliasFano(reader, 10), Error);
}

}  // namespace
}  // namespace crivo::bits
