// SPDX-License-Identifier: Apache-2.0
// What holds of every algorithm of maps.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "base/arithmetic.hpp"
#include "build/choices.hpp"
#include "crivo/build/options.hpp"
#include "crivo/error.hpp"
#include "structures/build/static_function.hpp"
#include "structures/static_function.hpp"
#include "support/hashes.hpp"
#include "support/maps.hpp"

namespace crivo::map {
namespace {

using Values = std::vector<std::uint64_t>;

class EveryMap : public testing::TestWithParam<Builder> {
 protected:
  /// The arities that the algorithm may be given.
  std::vector<unsigned> arities() const {
    return index::takes<MapOptions>("arity", GetParam().name) ? std::vector<unsigned>{3, 4}
                                                              : std::vector<unsigned>{4};
  }
  std::unique_ptr<const StaticFunction> open(const base::Bytes& section) const {
    return GetParam().algorithm().open(base::ByteView{section}, {});
  }
};

std::string name_of(const testing::TestParamInfo<Builder>& info) {
  return std::string(info.param.name) + (info.param.compresses ? "Compressed" : "");
}
INSTANTIATE_TEST_SUITE_P(All, EveryMap, testing::ValuesIn(builders()), name_of);

/// Values of `width` bits: pseudo-random, or, `skewed`, half of them 0, a quarter 1, ...
Values values_of(std::uint64_t n, unsigned width, bool skewed) {
  Values values(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t random = base::mix64(i + 1);
    values[i] = skewed ? std::min<std::uint64_t>(static_cast<unsigned>(std::countr_zero(random)),
                                                 ~std::uint64_t{0} >> (64 - width))
                       : random >> (64 - width);
  }
  return values;
}

TEST_P(EveryMap, AnswersAtAllSizesAndWidths) {
  const auto others = test::random_hashes(500, 9);
  for (const std::uint64_t n :
       {0U, 1U, 2U, 3U, 63U, 64U, 65U, 257U, 1000U, 11'500U, 4'095U, 4'096U, 40'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(test::random_hashes(n));
    for (const unsigned width : {1U, 8U, 13U, 24U, 32U, 64U}) {
      if (n >= 11'500 && width == 8) continue;  // what 13 and 32 show
      for (const unsigned arity : arities()) {
        const Values values = values_of(n, width, GetParam().compresses);
        const base::Bytes section = test::build_map(GetParam(), hashes, values, {width, arity});
        const auto function = open(section);
        EXPECT_TRUE(test::answers(*function, hashes, values)) << n << " of " << width;
        EXPECT_EQ(function->entropy().has_value(), GetParam().compresses);
        if (!GetParam().compresses) {
          EXPECT_EQ(function->width(), width);
        }
        for (const Hash128 other : others) {
          if (function->width() < 64) {
            EXPECT_EQ(function->value(other) >> function->width(), 0U);
          }
        }
      }
    }
  }
}

TEST_P(EveryMap, AllValuesEqual) {
  for (const std::uint64_t n : {1U, 500U, 30'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(test::random_hashes(n));
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, UINT64_MAX}) {
      const Values values(n, value);
      const auto width = std::max(static_cast<unsigned>(std::bit_width(value)), 1U);
      const base::Bytes section = test::build_map(GetParam(), hashes, values, {width, 4});
      EXPECT_TRUE(test::answers(*open(section), hashes, values)) << n << " times " << value;
    }
  }
}

TEST_P(EveryMap, UniformValuesOfAWideWidth) {
  const auto hashes = stream::SortedHashes::from_unsorted(test::random_hashes(25'000));
  const Values values = values_of(25'000, 50, false);
  const base::Bytes section = test::build_map(GetParam(), hashes, values, {50, 4});
  EXPECT_TRUE(test::answers(*open(section), hashes, values));
}

TEST_P(EveryMap, TheBytesDependOnNoThreads) {
  for (const std::uint64_t n : {700U, 90'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(test::random_hashes(n));
    const Values values = values_of(n, 17, GetParam().compresses);
    const base::Bytes one = test::build_map(GetParam(), hashes, values, {17, 4});
    for (const unsigned threads : {2U, 3U}) {
      EXPECT_TRUE(test::build_map(GetParam(), hashes, values, {17, 4}, threads) == one);
    }
  }
}

/// What is told before a build is about what it takes, or, of values unknown, at least that.
TEST_P(EveryMap, SizeIsAsPlanned) {
  for (const std::uint64_t n : {1000U, 200'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(test::random_hashes(n));
    for (const unsigned arity : arities()) {
      const Values values = values_of(n, 20, GetParam().compresses);
      const base::Bytes section = test::build_map(GetParam(), hashes, values, {20, arity});
      const double bits = 8.0 * static_cast<double>(section.size()) / static_cast<double>(n);
      const double planned = GetParam().bits_per_key(n, {20, arity});
      EXPECT_LT(bits, 1.02 * planned + 2.0e3 / static_cast<double>(n)) << n;
      if (!GetParam().compresses) {
        EXPECT_GT(bits, 0.98 * planned) << n;
      }
    }
  }
}

TEST_P(EveryMap, DamageIsRefusedOrBounded) {
  const auto probes = test::random_hashes(100, 3);
  for (const std::uint64_t n : {1U, 300U, 21'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(test::random_hashes(n));
    const Values values = values_of(n, 9, GetParam().compresses);
    const base::Bytes section = test::build_map(GetParam(), hashes, values, {9, 4});
    const auto survives = [&](base::ByteView bytes) {
      const auto copy = std::make_unique<std::byte[]>(bytes.size());  // of just its size
      std::ranges::copy(bytes, copy.get());
      try {
        const auto function =
            GetParam().algorithm().open(base::ByteView(copy.get(), bytes.size()), {});
        std::vector<std::uint64_t> found(probes.size());
        function->values(probes, found.data());
        for (std::size_t i = 0; i < probes.size(); ++i) {
          EXPECT_EQ(function->value(probes[i]), found[i]);
          if (function->width() < 64) {
            EXPECT_EQ(found[i] >> function->width(), 0U);
          }
        }
        return true;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::corrupt);
        EXPECT_NE(std::string(error.what()).find(": "), std::string::npos) << error.what();
        return false;
      }
    };
    for (std::size_t i = 0; i < 60; ++i) {
      EXPECT_FALSE(survives(base::ByteView(section).first(section.size() * i / 60))) << i;
    }
    for (std::size_t i = 0; i < 600; ++i) {
      base::Bytes changed = section;
      const std::size_t span =
          i % 3 == 0 ? section.size() : std::min<std::size_t>(section.size(), 200);
      std::size_t at = base::mulhi(base::mix64(i), span);
      if (i % 3 == 2) at = section.size() - 1 - at;
      changed[at] ^= static_cast<std::byte>(1U << (base::mix64(i) % 8));
      survives(changed);
    }
  }
}

}  // namespace
}  // namespace crivo::map
