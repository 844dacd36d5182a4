// SPDX-License-Identifier: Apache-2.0
// How the seeds' hashes become numbers below a bound, and words of other salts.

#include "structures/classic/range.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

#include "base/arithmetic.hpp"
#include "structures/classic/blocks.hpp"

namespace crivo::classic {
namespace {

constexpr Range kAll[] = {Range::modulo, Range::mask_xor, Range::unbiased};

TEST(Range, StaysBelowItsBound) {
  for (const Range range : kAll) {
    for (const std::uint32_t m :
         {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 1021U, 1024U, 1025U, 10'935'928U, (1U << 31) - 1,
          1U << 31, (1U << 31) + 1, 2'244'000'000U, ~std::uint32_t{0}}) {
      const Reduction reduce(range, m);
      for (const std::uint32_t value :
           {0U, 1U, m - 1, m, m + 1, 2 * m, ~0U, ~0U - 1, 1U << 31, 0x55555555U}) {
        ASSERT_LT(reduce(value), m) << static_cast<int>(range) << ", m = " << m;
      }
    }
  }
}

TEST(Range, IsTheDissertations) {
  EXPECT_EQ(Reduction(Range::modulo, 1021)(5000), 5000 % 1021);
  // Ten bits; from 1021 on, exclusive or.
  const Reduction jenkins(Range::mask_xor, 1021);
  EXPECT_EQ(jenkins(1020), 1020U);
  EXPECT_EQ(jenkins(1024 + 5), 5U);
  EXPECT_EQ(jenkins(1021), 0U);
  EXPECT_EQ(jenkins(1022), 1022U ^ 1021U);
  EXPECT_EQ(jenkins(0xffffffffU), 1023U ^ 1021U);
  EXPECT_EQ(Reduction(Range::mask_xor, 1024)(0xffffffffU), 1023U);
}

/// How often each third of [0, 3 * 2^30) is met by values from all over.
std::vector<double> thirds(Range range) {
  const Reduction reduce(range, 3U << 30);
  std::vector<double> shares(3);
  constexpr std::uint64_t kValues = 1 << 18;
  for (std::uint64_t i = 0; i < kValues; ++i) {
    ++shares[reduce(static_cast<std::uint32_t>(base::mix64(i) >> 32)) >> 30];
  }
  for (double& share : shares) share /= kValues;
  return shares;
}

TEST(Range, IsEvenWhereUnbiased) {
  EXPECT_NEAR(thirds(Range::modulo)[0], 0.5, 0.01);
  EXPECT_NEAR(thirds(Range::mask_xor)[0], 0.5, 0.01);
  for (const double share : thirds(Range::unbiased)) EXPECT_NEAR(share, 1.0 / 3, 0.01);
}

TEST(Words, OfSaltZeroAreTheHash) {
  const Hash128 hash{0x0123456789abcdefU, 0xfedcba9876543210U};
  EXPECT_EQ(words(hash, 0), (Words{0x01234567U, 0x89abcdefU, 0xfedcba98U, 0x76543210U}));
}

/// Whichever bit differs, all four words of the next salts do.
TEST(Words, OfOtherSaltsDependOnEveryBit) {
  const Hash128 hash{0x0123456789abcdefU, 0xfedcba9876543210U};
  for (const std::uint32_t salt : {1U, 2U, 255U}) {
    const Words before = words(hash, salt);
    EXPECT_NE(before, words(hash, salt + 1));
    for (unsigned bit = 0; bit < 128; ++bit) {
      Hash128 other = hash;
      (bit < 64 ? other.lo : other.hi) ^= std::uint64_t{1} << (bit % 64);
      const Words after = words(other, salt);
      for (std::size_t i = 0; i < after.size(); ++i) ASSERT_NE(after[i], before[i]) << bit;
    }
  }
}

}  // namespace
}  // namespace crivo::classic
