// SPDX-License-Identifier: Apache-2.0
/// How many cells and probes a Bloom filter has: B. H. Bloom, "Space/time trade-offs in hash coding
/// with allowable errors", CACM 1970, for probes that are independent and uniform. What goes into
/// the file is found in integers, so that it is the same on every system.
#pragma once

#include <cstdint>

#include "crivo/filter_options.hpp"

namespace crivo::filter {

inline constexpr unsigned kMaxHashes = 64;
inline constexpr unsigned kMaxCounterBits = 32;
/// So a section's bits can be counted in 64 bits whatever its counters.
inline constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 56;

/// The false-positive rate to expect of `keys` keys with `hashes` probes each in `cells` cells:
/// (1 - (1 - 1/cells)^(hashes keys))^hashes.
double bloom_fpr(double cells, double keys, unsigned hashes) noexcept;

/// The whole number of probes, from 1 to kMaxHashes, at which about that is least.
unsigned best_hashes(std::uint64_t cells, std::uint64_t keys) noexcept;

/// The keys that set `occupied` of `cells` cells, most probably (Swamidass, Baldi, J. Chem. Inf.
/// Model. 2007): -(cells / hashes) ln(1 - occupied / cells). Where all are set, what one that is
/// half empty would say.
double estimated_keys(double cells, double occupied, unsigned hashes) noexcept;
/// The standard deviation of that for `keys` keys.
double estimated_keys_sigma(double cells, double keys, unsigned hashes) noexcept;

/// The cells of a filter: 2^bits regions, each for the keys whose `hi` begins with its number, and
/// each a Bloom filter of its own.
struct BloomRegions {
  unsigned bits = 0;        ///< at most kMaxRegionBits
  std::uint64_t cells = 1;  ///< of a region; where there are several, a multiple of 64

  std::uint64_t count() const noexcept { return std::uint64_t{1} << bits; }
  std::uint64_t all_cells() const noexcept { return cells << bits; }
};
inline constexpr unsigned kMaxRegionBits = 36;

/// What a filter has room for.
struct BloomShape {
  BloomRegions regions;
  unsigned hashes = 0;
  std::uint64_t capacity = 0;  ///< keys it is sized for, at least 1
};

/// So many standard deviations more cells than expected may be occupied without the rate being
/// above the one asked: that of about one set in 700 is.
inline constexpr unsigned kBloomDeviations = 3;

/// The shape for n keys, or options.capacity where that is more, with cells of `cell_bits` bits.
/// For a rate, the fewest cells that keep to it for nearly all sets (kBloomDeviations); for
/// options.bits, that many bits per key. Then in regions of 2^20 to 2^21 cells, or more where a key
/// has more than eight probes: so large that what one has more keys than another adds less than
/// 1/2000 to the rate. Throws Error(usage) for options out of range, or for more than kMaxCells.
BloomShape bloom_shape(std::uint64_t n, const FilterOptions& options, unsigned cell_bits);

}  // namespace crivo::filter
