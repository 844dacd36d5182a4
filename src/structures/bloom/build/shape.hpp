// SPDX-License-Identifier: Apache-2.0
/// How many cells and probes a Bloom filter gets, and what its cells say of its keys. What goes
/// into the file is found in integers, so that it is the same on every system.
#pragma once

#include <cstdint>

#include "crivo/build/options.hpp"
#include "structures/bloom/cells.hpp"

namespace crivo::filter {

/// The whole number of probes, from 1 to kMaxHashes, at which about that is least.
unsigned best_hashes(std::uint64_t cells, std::uint64_t keys) noexcept;

/// The keys that set `occupied` of `cells` cells, most probably (Swamidass, Baldi, J. Chem. Inf.
/// Model. 2007): -(cells / hashes) ln(1 - occupied / cells). Where all are set, what one that is
/// half empty would say.
double estimated_keys(double cells, double occupied, unsigned hashes) noexcept;
/// The standard deviation of that for `keys` keys.
double estimated_keys_sigma(double cells, double keys, unsigned hashes) noexcept;

/// The cells and the capacity of a filter.
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
