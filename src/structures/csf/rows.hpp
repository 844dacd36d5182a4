// SPDX-License-Identifier: Apache-2.0
/// The arithmetic of a coded section's one-bit ribbon: sizes of layers, and a key's place in one.
/// formats/coded.md specifies all of it.
#pragma once

#include <array>
#include <cstdint>

#include "base/arithmetic.hpp"
#include "hashing/hash128.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::csf {

/// Coefficients of a row.
inline constexpr unsigned kBandBits = 128;
/// Layers of a partition. The last one bumps nothing; those between that and the first may lack.
inline constexpr unsigned kLayers = 4;
/// The longest codeword.
inline constexpr unsigned kMaxCodeBits = 30;

/// Starts in a bucket, the unit that a threshold speaks for, are 2^7 to 2^9: fewer where codewords
/// are longer, and so their sum in a bucket varies more.
inline constexpr unsigned kMinBucketBits = 7;
inline constexpr unsigned kMaxBucketBits = 9;

/// A key is bumped if its start's offset in the bucket is below the bucket's threshold. A bucket
/// stores the index of its threshold here, in two bits.
constexpr std::array<std::uint16_t, 4> thresholds(unsigned bucket_bits) noexcept {
  if (bucket_bits == 7) return {0, 26, 64, 128};
  if (bucket_bits == 8) return {0, 32, 96, 256};
  return {0, 41, 102, 512};
}

/// A section has 2^bits partitions, by the top bits of the hash, so many that in the mean one has
/// at most so many keys.
inline constexpr std::uint64_t kPartitionKeys = 524'288;
inline constexpr unsigned kMaxPartitionBits = 32;
constexpr unsigned partition_bits(std::uint64_t n) noexcept {
  unsigned bits = 0;
  while (n >> bits > kPartitionKeys && bits < kMaxPartitionBits) ++bits;
  return bits;
}
/// The slots of a slice in the mean, at most: those in work take a few megabytes.
inline constexpr std::uint64_t kSliceSlots = 393'216;
inline constexpr unsigned kMaxSliceBits = 16;

/// A key as its partition sees it: the partition's bits are shifted out of the hash.
struct LocalKey {
  Hash128 hash;
  std::uint32_t partition;
};
constexpr LocalKey local_key(Hash128 hash, unsigned partition_bits) noexcept {
  return {ribbon::first_layer(hash, partition_bits),
          static_cast<std::uint32_t>(base::top_bits(hash.hi, partition_bits))};
}

/// The parameters of a ribbon.
struct Shape {
  unsigned code_bits = 0;    ///< of the longest codeword; 0: there is no ribbon
  unsigned slice_bits = 0;   ///< 2^slice_bits slices a partition, by the next bits of the hash
  unsigned bucket_bits = 0;  ///< 2^bucket_bits starts a bucket

  /// For codewords of `bits` bits together, the longest of them of `longest`, of `keys` keys, in
  /// 2^partition_bits partitions.
  static constexpr Shape of(std::uint64_t keys, std::uint64_t bits, unsigned longest,
                            unsigned partition_bits) noexcept {
    Shape shape{longest, 0, kMaxBucketBits};
    while (bits >> partition_bits >> shape.slice_bits > kSliceSlots &&
           shape.slice_bits < kMaxSliceBits) {
      ++shape.slice_bits;
    }
    if (bits >= keys + keys / 8 * 7) shape.bucket_bits = 8;
    if (bits >= 4 * keys + keys / 2) shape.bucket_bits = 7;
    return shape;
  }

  /// The least slots of a layer.
  constexpr std::uint64_t least_slots() const noexcept { return kBandBits - 1 + code_bits; }

  /// The starts that codewords can have in a layer of `slots` slots: 0, or least_slots() and more.
  constexpr std::uint64_t starts(std::uint64_t slots) const noexcept {
    return slots == 0 ? 0 : slots - least_slots() + 1;
  }

  /// The bytes of the thresholds of a layer with so many starts.
  constexpr std::uint64_t threshold_bytes(std::uint64_t starts) const noexcept {
    return base::div_ceil(starts, std::uint64_t{4} << bucket_bits);
  }
};

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

/// Returns the coefficients of a key whose hash in the layer is `hash`. Coefficient 0 is always 1.
constexpr Coefficients coefficients(Hash128 hash) noexcept {
  return {hash.lo | std::uint64_t{1} << 63, base::mix64(hash.hi + 0x2545f4914f6cdd1dU)};
}

}  // namespace crivo::csf
