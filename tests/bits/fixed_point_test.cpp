// SPDX-License-Identifier: Apache-2.0
// Logarithms, powers and roots in integers, against floating point.
#include "structures/bits/fixed_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace crivo::bits {
namespace {

double log_of(std::uint64_t fixed) {
  return std::ldexp(static_cast<double>(fixed), -static_cast<int>(kLogBits));
}

TEST(FixedPoint, LogarithmsAreThoseOfFloatingPoint) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    EXPECT_EQ(fixed_log2(std::uint64_t{1} << bit), std::uint64_t{bit} << kLogBits);
  }
  for (std::uint64_t i = 1; i < 2000; ++i) {
    const std::uint64_t x = base::mix64(i) >> (i % 60) | 1;
    EXPECT_NEAR(log_of(fixed_log2(x)), std::log2(static_cast<double>(x)), 1e-13) << x;
    EXPECT_NEAR(log_of(minus_log2(x)), 64 - std::log2(static_cast<double>(x)), 1e-13) << x;
  }
  EXPECT_EQ(minus_log2(std::uint64_t{1} << 63), std::uint64_t{1} << kLogBits);
  EXPECT_GT(log_of(minus_log2(1)), 63.999);
  EXPECT_GT(log_of(minus_log2(0)), 63.999);
  // As exact where nothing is missing from 1.
  EXPECT_NEAR(std::ldexp(log_of(minus_log2(~std::uint64_t{0} << 30)), 34), 1 / std::log(2.0), 1e-6);
}

TEST(FixedPoint, PowersUndoLogarithms) {
  EXPECT_EQ(power_of_half(0), ~std::uint64_t{0});
  EXPECT_NEAR(static_cast<double>(power_of_half(std::uint64_t{1} << kLogBits)), 0x1p63, 2);
  for (std::uint64_t i = 1; i < 2000; ++i) {
    const std::uint64_t part = base::mix64(i) >> (i % 33) | 1;
    const auto found = static_cast<double>(power_of_half(minus_log2(part)));
    EXPECT_NEAR(found, static_cast<double>(part), 2 + 1e-12 * static_cast<double>(part)) << part;
  }
}

TEST(FixedPoint, RootsAreRoundedDown) {
  for (const std::uint64_t root : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3},
                                   std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    EXPECT_EQ(square_root(Uint128{root} * root), root);
    EXPECT_EQ(square_root(Uint128{root} * root + 2 * Uint128{root}), root);
    if (root != 0) {
      EXPECT_EQ(square_root(Uint128{root} * root - 1), root - 1);
    }
  }
}

TEST(FixedPoint, PartsAreExact) {
  EXPECT_EQ(fixed_part(0.5), std::uint64_t{1} << 63);
  EXPECT_EQ(fixed_part(0x1p-32), std::uint64_t{1} << 32);
  EXPECT_EQ(fixed_part(1.0 / 256), std::uint64_t{1} << 56);
}

}  // namespace
}  // namespace crivo::bits
