// SPDX-License-Identifier: Apache-2.0
/// Ones of a word, counted and found without branches, which nothing could predict (Vigna,
/// "Broadword implementation of rank/select queries", 2008), and without instructions that only
/// some processors have.
#pragma once

#include <cstdint>

namespace crivo::bits {

/// A one in each byte.
inline constexpr std::uint64_t kByteOnes = 0x0101010101010101U;

/// Byte i of the result says how many ones bytes 0 to i of `x` have; the last, all.
constexpr std::uint64_t running_ones(std::uint64_t x) noexcept {
  x -= (x >> 1) & 0x5555555555555555U;
  x = (x & 0x3333333333333333U) + ((x >> 2) & 0x3333333333333333U);
  return ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fU) * kByteOnes;
}

/// How many of the eight bytes of `sums`, which ascend and are below 128, are at most `limit`
/// (below 128).
constexpr std::uint64_t at_most(std::uint64_t sums, std::uint64_t limit) noexcept {
  const std::uint64_t flags = ((limit * kByteOnes | kByteOnes << 7) - sums) >> 7 & kByteOnes;
  return (flags * kByteOnes) >> 56;
}

/// The place of the one of `word` before which there are `before` others; `word` has more than
/// those, and `sums` is running_ones(word). First the byte by its running count of ones, then, with
/// the byte's bits spread over eight bytes, the bit in the same way.
constexpr unsigned select_one(std::uint64_t word, std::uint64_t sums,
                              std::uint64_t before) noexcept {
  const auto byte = static_cast<unsigned>(8 * at_most(sums, before));
  before -= (sums << 8 >> byte) & 0xff;
  const std::uint64_t bits = ((word >> byte & 0xff) * kByteOnes) & 0x8040201008040201U;
  const std::uint64_t bit_sums = ((bits + 0x7f * kByteOnes) >> 7 & kByteOnes) * kByteOnes;
  return byte + static_cast<unsigned>(at_most(bit_sums, before));
}

}  // namespace crivo::bits
