// SPDX-License-Identifier: Apache-2.0
/// The cells of Bloom filters, plain (cells of one bit) and counting (of up to 32), the header
/// before them and the counts behind: sections 35 and 36 (formats/bloom.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "hashing/hash128.hpp"

// How many cells and probes a Bloom filter has: B. H. Bloom, "Space/time trade-offs in hash coding
// with allowable errors", CACM 1970, for probes that are independent and uniform. What goes into
// the file is found in integers, so that it is the same on every system.

namespace crivo::filter {

inline constexpr unsigned kMaxHashes = 64;
inline constexpr unsigned kMaxCounterBits = 32;
/// So a section's bits can be counted in 64 bits whatever its counters.
inline constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 56;

/// The false-positive rate to expect of `keys` keys with `hashes` probes each in `cells` cells:
/// (1 - (1 - 1/cells)^(hashes keys))^hashes.
double bloom_fpr(double cells, double keys, unsigned hashes) noexcept;

/// The cells of a filter: 2^bits regions, each for the keys whose `hi` begins with its number, and
/// each a Bloom filter of its own.
struct BloomRegions {
  unsigned bits = 0;        ///< at most kMaxRegionBits
  std::uint64_t cells = 1;  ///< of a region; where there are several, a multiple of 64

  std::uint64_t count() const noexcept { return std::uint64_t{1} << bits; }
  std::uint64_t all_cells() const noexcept { return cells << bits; }
};
inline constexpr unsigned kMaxRegionBits = 36;

/// The fields before the cells, and the two counts behind them.
struct BloomHeader {
  BloomRegions regions;         ///< 1 to kMaxCells cells in all
  std::uint64_t keys = 0;       ///< added and not removed
  std::uint64_t capacity = 1;   ///< keys that it was sized for
  unsigned hashes = 1;          ///< probes of a key, 1 to kMaxHashes
  unsigned cell_bits = 1;       ///< 1 in a plain filter; of a counter 1 to kMaxCounterBits
  bool estimated = false;       ///< `keys` is an estimate: of a union or intersection
  std::uint64_t occupied = 0;   ///< cells that are not 0
  std::uint64_t saturated = 0;  ///< counters that have stopped counting; of a plain filter 0

  static constexpr std::uint64_t kBytes = 64;
  static constexpr std::uint64_t kCountsBytes = 16;

  std::uint64_t cells() const noexcept { return regions.all_cells(); }
  std::uint64_t words() const noexcept { return base::div_ceil(cells() * cell_bits, 64); }
  std::uint64_t section_bytes() const noexcept { return kBytes + 8 * words() + kCountsBytes; }
  /// The rate at which random hashes find all their probes occupied.
  double fpr() const noexcept;

  /// Throws Error(corrupt) unless the section begins with a sound header, ends with sound counts
  /// and is as long as they say.
  static BloomHeader decode(base::ByteView section);
  /// Writes what encode() returns, into so much room.
  void encode_to(std::span<std::byte, kBytes> room) const noexcept;
  /// The 64 bytes before the cells, and the 16 behind them.
  base::Bytes encode() const;
  base::Bytes encode_counts() const;
};

/// The hash of a key of which there are 64 bits alone.
constexpr Hash128 with_second_half(std::uint64_t hash) noexcept {
  return {hash, base::mix64(hash)};
}

/// Calls visit(cell) for the probes from `begin` to `end` of a hash in their order as long as it
/// returns true; returns whether it did for all. All lie in the hash's region. The first cell, and
/// with it the region, comes from `hi`, the others from the multiples of `lo` by powers of a
/// multiplier of good spectrum (Steele, Vigna, "Computationally easy, spectrally good multipliers",
/// 2022): unlike those of double hashing they are as good as independent even in a few cells.
template <typename Visit>
inline bool for_each_probe(Hash128 hash, const BloomRegions& regions, unsigned begin, unsigned end,
                           Visit&& visit) {
  constexpr std::uint64_t kMultiplier = 0xf1357aea2e62a9c5U;
  if (begin == 0 && end != 0 && !visit(base::mulhi(hash.hi, regions.all_cells()))) return false;
  const std::uint64_t first = base::top_bits(hash.hi, regions.bits) * regions.cells;
  std::uint64_t next = hash.lo;
  for (unsigned i = 1; i < end; ++i) {
    if (i >= begin && !visit(first + base::mulhi(next, regions.cells))) return false;
    next *= kMultiplier;
  }
  return true;
}

/// The value of the cell with the bits from index * bits on, where word(i) is the i-th word of 64.
template <typename Word>
inline std::uint64_t cell_value(std::uint64_t index, unsigned bits, Word&& word) noexcept {
  const std::uint64_t at = index * bits;
  std::uint64_t value = word(at / 64) >> (at % 64);
  if (at % 64 + bits > 64) value |= word(at / 64 + 1) << (64 - at % 64);
  return value & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace crivo::filter
