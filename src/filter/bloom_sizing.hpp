/// How many cells and probes a Bloom filter has: B. H. Bloom, "Space/time trade-offs in hash coding
/// with allowable errors", CACM 1970, for probes that are independent and uniform.
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

/// The real number of probes at which that is least: (cells / keys) ln 2.
double optimal_hashes(double cells, double keys) noexcept;
/// The whole number, from 1 to kMaxHashes, at which it is least.
unsigned best_hashes(double cells, double keys) noexcept;

/// The keys that set `occupied` of `cells` cells, most probably (Swamidass, Baldi, J. Chem. Inf.
/// Model. 2007): -(cells / hashes) ln(1 - occupied / cells). Where all are set, what one that is
/// half empty would say.
double estimated_keys(double cells, double occupied, unsigned hashes) noexcept;
/// The standard deviation of that for `keys` keys.
double estimated_keys_sigma(double cells, double keys, unsigned hashes) noexcept;

/// What a filter has room for.
struct BloomShape {
  std::uint64_t cells = 0;
  unsigned hashes = 0;
  std::uint64_t capacity = 0;  ///< keys it is sized for, at least 1
};

/// The shape for n keys, or options.capacity where that is more, with cells of `cell_bits` bits.
/// For a rate, the least that keeps to it even if some more cells than expected come to be
/// occupied; for options.bits, that many bits per key. Throws Error(usage) for options
/// out of range, or for more than kMaxCells.
BloomShape bloom_shape(std::uint64_t n, const FilterOptions& options, unsigned cell_bits);

}  // namespace crivo::filter
