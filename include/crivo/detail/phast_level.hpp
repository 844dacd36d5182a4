/// The part of a lookup that is compiled into its caller: the first level of a function of the
/// PHast family, which answers some 99 of 100 keys. Not an interface; Mphf's lookup() is.
/// formats/phast.md specifies the arithmetic.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "crivo/detail/hash128.hpp"

namespace crivo::detail {

/// A seed's low bits are its shift, the others its family. Seed 0 says that the bucket is bumped.
inline constexpr unsigned kShiftBits = 8;
inline constexpr unsigned kShifts = 1U << kShiftBits;

/// Where in its slice, from 0 to slice_length - 1, the family of `seed` puts a key. (The AVX2
/// lookup has it once more, for four keys.)
inline std::uint32_t spread(std::uint64_t lo, std::uint32_t seed,
                            std::uint32_t slice_length) noexcept {
  const std::uint32_t odd = (seed >> (kShiftBits - 1)) | 1;  // 2 * family + 1
  const std::uint32_t y = ((static_cast<std::uint32_t>(lo) & 0xffff) * odd) & 0xffff;
  return (y * slice_length) >> 16;
}

/// Where the slices of one partition begin: that of a hash at mulhi(hi, slope) + base. So there is
/// one multiplication and no subtraction: with P = 2^g partitions, m keys in partition p and r = hi
/// * P mod 2^64, the place in the partition is mulhi(r, m) = mulhi(hi, m * P) - p * m, exactly.
struct alignas(16) PhastPartition {
  std::uint64_t slope = 0;  ///< m * P
  std::uint64_t base = 0;   ///< the partition's first value - p * m - lead, modulo 2^64
};

/// One level. Nothing that its arrays hold is trusted: a place in them follows from the shape
/// alone, and what comes out is clamped. In the order of use, and in one cache line.
struct alignas(64) PhastLevel {
  static constexpr std::byte kNoSeeds[8] = {};

  /// A level without buckets bumps every key.
  std::uint64_t buckets = 0;
  std::uint64_t seed_bits = 0;
  const std::byte* seeds = kNoSeeds;  ///< packed; a 32-bit load at any seed's byte stays inside
  std::uint32_t seed_mask = 0;
  std::uint32_t slice_length = 0;
  std::uint64_t partition_count = 0;
  const PhastPartition* partitions = nullptr;
  std::uint64_t last = 0;  ///< the largest value

  /// The bit at which the seed of the bucket of `hash` begins.
  std::uint64_t seed_place(Hash128 hash) const noexcept {
    return mulhi(hash.hi, buckets) * seed_bits;
  }
  void prefetch(std::uint64_t place) const noexcept { __builtin_prefetch(seeds + place / 8); }
  std::uint32_t seed(std::uint64_t place) const noexcept {
    std::uint32_t word;
    std::memcpy(&word, seeds + place / 8, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap32(word);
    return (word >> (place % 8)) & seed_mask;
  }
  /// The value, at most `last`, that a seed other than 0 gives to `hash`.
  std::uint64_t value(Hash128 hash, std::uint32_t seed) const noexcept {
    const PhastPartition& partition = partitions[mulhi(hash.hi, partition_count)];
    const std::uint64_t slice = mulhi(hash.hi, partition.slope) + partition.base;
    const std::uint32_t shift = seed % kShifts;
    return std::min(slice + (spread(hash.lo, seed, slice_length) + shift), last);
  }

  static std::uint64_t mulhi(std::uint64_t a, std::uint64_t b) noexcept {
    return static_cast<std::uint64_t>((Product128{a} * b) >> 64);
  }
};

inline constexpr PhastLevel kBumpsAll;

}  // namespace crivo::detail
