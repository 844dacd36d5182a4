// SPDX-License-Identifier: Apache-2.0
/// How a key's hash becomes an equation of a ribbon: where its row starts, which slots it takes,
/// and how the hash changes from one layer to the next. formats/ribbon.md specifies all of it.
#pragma once

#include <array>
#include <cstdint>

#include "bits/arithmetic.hpp"
#include "crivo/detail/fingerprint.hpp"
#include "hashing/hash128.hpp"

namespace crivo::ribbon {

/// The coefficients of a row in the partitioned form: L = 64 bits, and 128 in the small-set form.
inline constexpr unsigned kBandBits = 64;
inline constexpr unsigned kSmallBandBits = 128;
/// Starts in a bucket, the unit that a threshold speaks for.
inline constexpr std::uint64_t kBucketStarts = 128;
/// A key is bumped if its start's offset in the bucket is below the bucket's threshold. A bucket
/// stores the index of its threshold here, in two bits.
inline constexpr std::array<std::uint8_t, 4> kThresholds{0, 23, 46, 128};
/// Layers of a partition at most. The last one that has slots bumps nothing.
inline constexpr unsigned kLayers = 4;
/// Sets of fewer keys take the small-set form.
inline constexpr std::uint64_t kSmallSetKeys = 20'000;
/// Solutions that the small-set form may try.
inline constexpr unsigned kSmallSetSeeds = 64;

/// 2^bits partitions for a set of n keys: at most 2^16.5 keys a partition in the mean, so that the
/// keys which a thread has in work at once, those of some partitions in lock step, take a few
/// megabytes. For that each partition has some 80 slots and 20 to 50 bytes at its ends.
constexpr unsigned partition_bits(std::uint64_t n) noexcept {
  unsigned bits = 0;
  while ((n >> bits) > 92'681 && bits < 32) ++bits;
  return bits;
}

/// The slots of a layer that bumps, made for so many keys: n (1 - 4 / L), to the nearest block.
constexpr std::uint64_t bumping_slots(std::uint64_t keys) noexcept {
  const std::uint64_t blocks = (keys - keys / 16 + 32) / 64;
  return 64 * (blocks == 0 ? 1 : blocks);
}

/// The slots of the first layer of each partition: they follow from n alone, so that a lookup finds
/// a row without a table of sizes.
constexpr std::uint64_t first_layer_slots(std::uint64_t n) noexcept {
  return bumping_slots(n >> partition_bits(n));
}

/// The slots of the small-set form for n keys: about 3 % over n.
constexpr std::uint64_t small_slots(std::uint64_t n) noexcept {
  if (n == 0) return 0;
  const std::uint64_t spare = bits::div_ceil(3 * n, 100);
  return n + (spare < 8 ? 8 : spare);
}

/// The starts that rows can have in a layer of `slots` slots (0 or a multiple of 64).
constexpr std::uint64_t layer_starts(std::uint64_t slots) noexcept {
  return slots == 0 ? 0 : slots - kBandBits + 1;
}

/// The bytes of a layer's thresholds.
constexpr std::uint64_t threshold_bytes(std::uint64_t starts) noexcept {
  return bits::div_ceil(starts, 4 * kBucketStarts);
}

/// What a filter takes a key's hash for: all that it looks at is the first half.
constexpr Hash128 of_filter(Hash128 hash) noexcept {
  return {hash.hi, hash.hi};
}

/// The hash of a key in the first layer of its partition: the partition's bits are shifted out.
constexpr Hash128 first_layer(Hash128 hash, unsigned partition_bits) noexcept {
  return {hash.hi << partition_bits, hash.lo};
}

/// The hash of a bumped key in the next layer. A bijection, so distinct keys stay distinct, whose
/// halves each depend on both halves of `hash`.
constexpr Hash128 next_layer(Hash128 hash) noexcept {
  const std::uint64_t hi = bits::mix64(hash.hi ^ bits::mix64(hash.lo + 0x9e3779b97f4a7c15U));
  return {hi, bits::mix64(hash.lo + hi)};
}

/// The hash of a key in the small-set form with the given seed.
constexpr Hash128 seeded(Hash128 hash, unsigned seed) noexcept {
  return next_layer({hash.hi + seed * 0xd1b54a32d192ed03U, hash.lo});
}

/// The start of a row among `starts`: ascending in `hi`.
inline std::uint64_t row_start(Hash128 hash, std::uint64_t starts) noexcept {
  return bits::mulhi(hash.hi, starts);
}

/// Bit t is set if the row takes the slot t after its start, in the layer that sees the key's hash
/// as (hi, ...). Bit 0 always is.
constexpr std::uint64_t coefficients(std::uint64_t hi) noexcept {
  return (hi * detail::kRowFactor) | 1;
}

/// The upper 64 coefficients of a row of the small-set form; lo | 1 are the lower 64.
constexpr std::uint64_t upper_coefficients(Hash128 hash) noexcept {
  return bits::mix64(hash.hi + 0x2545f4914f6cdd1dU);
}

}  // namespace crivo::ribbon
