// SPDX-License-Identifier: Apache-2.0
/// Integer arithmetic that the structures share.
#pragma once

#include <cstdint>

namespace crivo::base {

/// The high 64 bits of the 128-bit product: maps a uniform 64-bit `a` to [0, b) in order
/// ("fastrange").
inline std::uint64_t mulhi(std::uint64_t a, std::uint64_t b) noexcept {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
}

/// A bijective mixer of 64 bits in which every input bit reaches every output bit (the finaliser of
/// SplitMix64; Steele, Lea, Flood, OOPSLA 2014).
constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9U;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebU;
  x ^= x >> 31;
  return x;
}

/// `value` rounded up to a multiple of `unit`, a power of two. The caller rules out overflow.
constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t unit) noexcept {
  return (value + unit - 1) & ~(unit - 1);
}

constexpr std::uint64_t div_ceil(std::uint64_t value, std::uint64_t unit) noexcept {
  return value / unit + (value % unit != 0 ? 1 : 0);
}

/// The top `bits` (0 to 63) bits of `value`, as a number.
constexpr std::uint64_t top_bits(std::uint64_t value, unsigned bits) noexcept {
  return (value >> 1) >> (63 - bits);
}

}  // namespace crivo::base
