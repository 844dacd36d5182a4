// SPDX-License-Identifier: Apache-2.0
/// Signed integers as unsigned ones, of which those near 0 are small.
#pragma once

#include <cstdint>

namespace crivo::base {

/// 2 v of v >= 0, -2 v - 1 of a negative one, which are in two's complement.
constexpr std::uint64_t zigzag(std::uint64_t value) noexcept {
  return value << 1 ^ (0 - (value >> 63));
}

/// The value that zigzag() made `coded` of.
constexpr std::uint64_t unzigzag(std::uint64_t coded) noexcept {
  return coded >> 1 ^ (0 - (coded & 1));
}

}  // namespace crivo::base
