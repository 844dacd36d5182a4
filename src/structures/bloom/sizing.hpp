// SPDX-License-Identifier: Apache-2.0
/// How many cells and probes a Bloom filter has: B. H. Bloom, "Space/time trade-offs in hash coding
/// with allowable errors", CACM 1970, for probes that are independent and uniform. What goes into
/// the file is found in integers, so that it is the same on every system.
#pragma once

#include <cstdint>

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

}  // namespace crivo::filter
