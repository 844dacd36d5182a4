// SPDX-License-Identifier: Apache-2.0
/// The parities of many words at once, in portable code: without a population-count instruction,
/// one word costs about as much as eight.
#pragma once

#include <cstdint>

namespace crivo::ribbon {

/// Bit j of the result is the parity of byte j.
inline std::uint64_t byte_parities(std::uint64_t bytes) noexcept {
  bytes ^= bytes >> 4;
  bytes ^= bytes >> 2;
  bytes ^= bytes >> 1;
  // Gathers bit 8j of the bytes into bit 56 + j.
  return ((bytes & 0x0101010101010101U) * 0x0102040810204080U) >> 56;
}

/// Bit j of the result is the parity of words[j]. Each step folds two words into the halves of one,
/// so that the words' parities end up side by side in the bytes of the last.
inline std::uint64_t parities(const std::uint64_t (&words)[8]) noexcept {
  const auto fold = [](std::uint64_t a, std::uint64_t b, unsigned shift, std::uint64_t lower) {
    return ((a ^ (a >> shift)) & lower) | ((b ^ (b << shift)) & ~lower);
  };
  std::uint64_t halves[4];
  for (unsigned i = 0; i < 4; ++i)
    halves[i] = fold(words[i], words[i + 4], 32, 0x00000000ffffffffU);
  std::uint64_t quarters[2];
  for (unsigned i = 0; i < 2; ++i) {
    quarters[i] = fold(halves[i], halves[i + 2], 16, 0x0000ffff0000ffffU);
  }
  return byte_parities(fold(quarters[0], quarters[1], 8, 0x00ff00ff00ff00ffU));
}

}  // namespace crivo::ribbon
