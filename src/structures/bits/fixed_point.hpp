// SPDX-License-Identifier: Apache-2.0
/// Logarithms, powers and roots in integers: where a size goes into a file, it must not depend on a
/// C library's last bit. Parts of 1 are in units of 2^-64, logarithms to base 2 in units of
/// 2^-kLogBits.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/arithmetic.hpp"

namespace crivo::bits {

using Uint128 = unsigned __int128;

inline constexpr unsigned kLogBits = 58;
/// ln 2, of 1.
inline constexpr std::uint64_t kLn2 = 0xb17217f7d1cf79ab;

/// The root, rounded down.
constexpr std::uint64_t square_root(Uint128 x) noexcept {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 63; bit != 0; bit >>= 1) {
    const std::uint64_t larger = root | bit;
    if (Uint128{larger} * larger <= x) root = larger;
  }
  return root;
}

/// log2(x) of x >= 1, bit by bit: an excess over a power of two is squared, and gives a bit.
constexpr std::uint64_t fixed_log2(std::uint64_t x) noexcept {
  const auto exponent = static_cast<unsigned>(std::bit_width(x)) - 1;
  std::uint64_t result = std::uint64_t{exponent} << kLogBits;
  std::uint64_t mantissa = x << (63 - exponent);  // from 1 to 2, in units of 2^-63
  for (unsigned bit = kLogBits; bit-- > 0;) {
    const Uint128 square = Uint128{mantissa} * mantissa;
    const auto carry = static_cast<unsigned>(square >> 127);
    mantissa = static_cast<std::uint64_t>(square >> (63 + carry));
    result |= std::uint64_t{carry} << bit;
  }
  return result;
}

/// -log2 of a part of 1; of the least two, 0 and 2^-64, nearly 64.
constexpr std::uint64_t minus_log2(std::uint64_t part) noexcept {
  return part <= 1 ? ~std::uint64_t{0} : ~fixed_log2(part) + 1;  // 64 runs over
}

/// 2^-x, a part of 1; of x = 0, the largest that there is.
constexpr std::uint64_t power_of_half(std::uint64_t x) noexcept {
  constexpr auto kRoots = [] {  // of 1/2: the second, fourth ...
    std::array<std::uint64_t, kLogBits> roots{};
    std::uint64_t root = std::uint64_t{1} << 63;
    for (std::uint64_t& next : roots) next = root = square_root(Uint128{root} << 64);
    return roots;
  }();
  std::uint64_t power = ~std::uint64_t{0};
  for (unsigned i = 0; i < kLogBits; ++i) {
    if ((x >> (kLogBits - 1 - i) & 1) != 0) {
      power = static_cast<std::uint64_t>(Uint128{power} * kRoots[i] >> 64);
    }
  }
  return power >> (x >> kLogBits);
}

/// A real part of 1, below 1: exact for those that are multiples of 2^-64.
inline std::uint64_t fixed_part(double part) noexcept {
  return static_cast<std::uint64_t>(std::ldexp(part, 64));
}

}  // namespace crivo::bits
