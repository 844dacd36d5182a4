/// The arithmetic of a coded section's one-bit ribbon: sizes of layers, and a key's place in one.
/// formats/coded.md specifies all of it.
#pragma once

#include <array>
#include <cstdint>

#include "crivo/hash.hpp"
#include "ribbon/rows.hpp"
#include "util/bits.hpp"

namespace crivo::coded {

/// Coefficients of a row.
inline constexpr unsigned kBandBits = 128;
/// Starts in a bucket, the unit that a threshold speaks for.
inline constexpr std::uint64_t kBucketStarts = 256;
/// A key is bumped if its start's offset in the bucket is below the bucket's threshold. A bucket
/// stores the index of its threshold here, in two bits.
inline constexpr std::array<std::uint16_t, 4> kThresholds{0, 38, 102, 256};
/// Layers of a partition. The last one bumps nothing; those between that and the first may lack.
inline constexpr unsigned kLayers = 4;
/// The longest codeword.
inline constexpr unsigned kMaxCodeBits = 30;

/// The least slots of a layer whose longest codeword has `code_bits` bits.
constexpr std::uint64_t least_slots(unsigned code_bits) noexcept {
  return kBandBits - 1 + code_bits;
}

/// The starts that codewords can have in a layer of `slots` slots: 0, or least_slots() and more.
constexpr std::uint64_t layer_starts(std::uint64_t slots, unsigned code_bits) noexcept {
  return slots == 0 ? 0 : slots - least_slots(code_bits) + 1;
}

/// The bytes of a layer's thresholds.
constexpr std::uint64_t threshold_bytes(std::uint64_t starts) noexcept {
  return util::div_ceil(starts, 4 * kBucketStarts);
}

/// The bits of `word` in reverse.
constexpr std::uint64_t reversed(std::uint64_t word) noexcept {
  word = ((word >> 1) & 0x5555555555555555U) | ((word & 0x5555555555555555U) << 1);
  word = ((word >> 2) & 0x3333333333333333U) | ((word & 0x3333333333333333U) << 2);
  word = ((word >> 4) & 0x0f0f0f0f0f0f0f0fU) | ((word & 0x0f0f0f0f0f0f0f0fU) << 4);
  return __builtin_bswap64(word);
}

/// The coefficients of a key's rows, the first in the highest bit of each word: coefficient j is
/// bit 63 - j of `first`, coefficient 64 + j that of `second`. In this sequence a carry-less
/// product with the slots has the sums for consecutive rows in consecutive bits.
struct Coefficients {
  std::uint64_t first;
  std::uint64_t second;
};

/// Of a key whose hash in the layer is `hash`. Coefficient 0 is always 1.
constexpr Coefficients coefficients(Hash128 hash) noexcept {
  return {hash.lo | std::uint64_t{1} << 63, ribbon::upper_coefficients(hash)};
}

}  // namespace crivo::coded
