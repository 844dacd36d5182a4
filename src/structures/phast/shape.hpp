// SPDX-License-Identifier: Apache-2.0
/// The arithmetic that the builder and the reader of a PHast function share. formats/phast.md
/// specifies it. The function is of the PHast family (Beling, Sanders, "PHast - Perfect Hashing
/// made fast", 2025): a bucket's seed moves its keys inside a slice of the values that follows the
/// bucket, so that almost every key is answered by one seed. Here a seed is a *family* (how the
/// keys spread over the slice) and a *shift* (0 to 255) of them all together; and the builder gives
/// each hash partition a range of the values for its own, of which a lookup knows nothing.
///
/// Minimal perfect hash functions of the PHast family: sections of type file::kPhastSection.
///
///     section   header 16 | level 0 | level 1 | ... | small set of the last keys
///     level     B, c, g 8 | seeds: S bits a bucket, partition after partition | holes (Elias-Fano)
///
///     hash ──▶ bucket's seed ─┬─▶ slice + shift ──────────────────────▶ rank, or above n: a hole
///                             └─ 0: bumped ──▶ next level ──▶ hole ───▶ rank
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "crivo/detail/phast_level.hpp"
#include "hashing/hash128.hpp"
#include "structures/mphf.hpp"

namespace crivo::phast {

using detail::kShiftBits;
using detail::kShifts;
using detail::spread;

/// Limits of what a section may say.
inline constexpr unsigned kMinSeedBits = 9;
inline constexpr unsigned kMaxSeedBits = 16;
inline constexpr unsigned kMaxPartitionBits = 22;
inline constexpr std::uint32_t kMaxBuckets = 1U << 20;  ///< of a partition
inline constexpr unsigned kMaxLevels = 24;
inline constexpr std::uint64_t kMaxKeys = std::uint64_t{1} << 40;

inline constexpr unsigned kMaxSliceBits = 11;

/// Sets up to the first of these sizes are placed by the SmallSet, larger ones by a level, which
/// takes less time and space; of what levels bump, sets up to the second, as it is asked for
/// seldom.
inline constexpr std::uint64_t kSmallSetKeys = 64;
inline constexpr std::uint64_t kSmallRestKeys = 1024;

/// Whether `keys` keys take a level with that number.
constexpr bool takes_level(std::uint64_t keys, std::size_t level) noexcept {
  return keys > (level == 0 ? kSmallSetKeys : kSmallRestKeys);
}

/// The shape of one level: `keys` keys in 2^partition_bits partitions of `buckets` buckets each,
/// whose keys spread over slices of 2^slice_bits values.
struct LevelShape {
  std::uint64_t keys = 0;
  unsigned partition_bits = 0;
  std::uint32_t buckets = 0;
  unsigned slice_bits = 0;

  std::uint64_t partitions() const noexcept { return std::uint64_t{1} << partition_bits; }
  std::uint64_t total_buckets() const noexcept { return partitions() * buckets; }
  /// How far a slice begins before its keys' place.
  std::uint32_t lead() const noexcept { return (1U << slice_bits) / 2; }
  /// The values of partition p, and the places of its keys, are those from here to before
  /// first_value(p + 1): the partition's share of all, whatever number of keys it has.
  std::uint64_t first_value(std::uint64_t p) const noexcept { return p * keys >> partition_bits; }
};

/// The hash by which level `level` (1, 2, ...) places a key whose hash at the level before was
/// `hash`. A bijection in which every input bit reaches both halves after two levels, so that keys
/// which agree in a half, or in the bits that a level looks at, part at a later level.
inline Hash128 next_level(Hash128 hash, unsigned level) noexcept {
  hash.lo ^= base::mix64(hash.hi + level);
  hash.hi ^= base::mix64(hash.lo + level);
  return hash;
}
/// Undoes it.
inline Hash128 previous_level(Hash128 hash, unsigned level) noexcept {
  hash.hi ^= base::mix64(hash.lo + level);
  hash.lo ^= base::mix64(hash.hi + level);
  return hash;
}

/// The function in `section`, whose bytes must outlive it. O(levels). Throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_phast(const base::CheckedBytes& section);

}  // namespace crivo::phast
