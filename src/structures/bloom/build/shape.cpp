// SPDX-License-Identifier: Apache-2.0
#include "structures/bloom/build/shape.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "base/arithmetic.hpp"
#include "base/refuse_option.hpp"
#include "crivo/error.hpp"
#include "structures/bits/fixed_point.hpp"
#include "structures/build/filter.hpp"

namespace crivo::filter {
namespace {

using bits::kLn2;
using bits::kLogBits;
using bits::minus_log2;
using bits::power_of_half;
using bits::Uint128;

constexpr double kMaxBits = 4096;  // per key
constexpr std::uint64_t kMaxCapacity = std::uint64_t{1} << 62;

/// The cells in which `probes` probes, at most 2^68, occupy `fill` (not 0) of all.
Uint128 cells_for_fill(Uint128 probes, std::uint64_t fill) noexcept {
  const std::uint64_t load = base::mulhi(minus_log2(-fill), kLn2);  // -ln(1 - fill), a cell's
  return (probes << kLogBits) / std::max<std::uint64_t>(load, 1) + 1;
}

/// The cells in which `keys` keys have at most the rate `fpr`, even if by kBloomDeviations standard
/// deviations more cells than expected come to be occupied.
Uint128 cells_for_fpr(std::uint64_t keys, unsigned hashes, std::uint64_t fpr) noexcept {
  const Uint128 probes = Uint128{keys} * hashes;
  const std::uint64_t fill = power_of_half(minus_log2(fpr) / hashes);
  const Uint128 cells = cells_for_fill(probes, fill);
  // The variance of the number of empty cells when balls are thrown into bins:
  // empty (1 - (1 + load) empty) for each bin.
  const std::uint64_t empty = -fill;
  const std::uint64_t load = base::mulhi(minus_log2(empty), kLn2);
  const auto loaded =
      static_cast<std::uint64_t>((Uint128{load} + (Uint128{1} << kLogBits)) * empty >> kLogBits);
  const std::uint64_t sigma =
      bits::square_root((Uint128{base::mulhi(empty, -loaded)} << 64) / cells);
  const Uint128 margin = Uint128{kBloomDeviations} * sigma;
  const std::uint64_t least = fill / 2;
  return cells_for_fill(probes,
                        margin < fill - least ? fill - static_cast<std::uint64_t>(margin) : least);
}

/// The number of probes with which the cells for a rate are fewest: beside log2(1/fpr).
unsigned hashes_for_fpr(std::uint64_t keys, std::uint64_t fpr) noexcept {
  const std::uint64_t ideal = minus_log2(fpr) >> kLogBits;
  const auto low = static_cast<unsigned>(std::clamp<std::uint64_t>(ideal, 1, kMaxHashes));
  const unsigned high = std::min(low + 1, kMaxHashes);
  return cells_for_fpr(keys, high, fpr) < cells_for_fpr(keys, low, fpr) ? high : low;
}

/// At least so many cells, in regions of 2^20 to 2^21 where a key has up to eight probes, four
/// times as many for up to sixteen, and so on.
BloomRegions regions_for(std::uint64_t cells, unsigned hashes) noexcept {
  const auto probe_bits = static_cast<unsigned>(std::bit_width(hashes - 1));
  const unsigned region_bits = 20 + 2 * std::max(probe_bits, 3U) - 6;
  const auto cell_bits = static_cast<unsigned>(std::bit_width(cells)) - 1;
  if (cell_bits <= region_bits) return {0, cells};
  const unsigned bits = cell_bits - region_bits;
  return {bits, base::align_up(base::div_ceil(cells, std::uint64_t{1} << bits), 64)};
}

}  // namespace

unsigned best_hashes(std::uint64_t cells, std::uint64_t keys) noexcept {
  const Uint128 ideal = (Uint128{cells} * kLn2 >> 64) / keys;
  const auto low = static_cast<unsigned>(std::clamp<Uint128>(ideal, 1, kMaxHashes));
  const unsigned high = std::min(low + 1, kMaxHashes);
  // -log2 of the rate (1 - e^(-hashes keys / cells))^hashes.
  const auto rate = [&](unsigned hashes) {
    constexpr Uint128 kMost = std::uint64_t{1} << (kLogBits + 5);  // e^-32 is as good as nothing
    const Uint128 load = std::min((Uint128{keys} * hashes << kLogBits) / cells, kMost);
    const auto in_bits = static_cast<std::uint64_t>((load << 64) / kLn2);
    return Uint128{hashes} * minus_log2(-power_of_half(in_bits));
  };
  return rate(high) > rate(low) ? high : low;
}

double estimated_keys(double cells, double occupied, unsigned hashes) noexcept {
  const double empty = std::max(cells - occupied, 0.5);
  return -cells / hashes * std::log(empty / cells);
}

double estimated_keys_sigma(double cells, double keys, unsigned hashes) noexcept {
  const double load = hashes * keys / cells;
  return std::sqrt(cells * (std::expm1(load) - load)) / hashes;
}

BloomShape bloom_shape(std::uint64_t n, const FilterOptions& options, unsigned cell_bits) {
  const std::uint64_t capacity = std::max({n, options.capacity, std::uint64_t{1}});
  const auto checked = [&](Uint128 cells) {
    if (cells <= kMaxCells) return static_cast<std::uint64_t>(cells);
    throw Error(ErrorKind::usage, "a filter for " + std::to_string(capacity) +
                                      " keys would have more than 2^56 cells");
  };
  if (capacity > kMaxCapacity) (void)checked(kMaxCells + 1);
  std::uint64_t cells = 0;
  unsigned hashes = options.hashes;
  if (options.bits) {
    if (!(*options.bits > 0 && *options.bits <= kMaxBits)) {
      base::refuse_option("bits", *options.bits, "bits per key are not above 0 and at most 4096");
    }
    const double asked = std::ceil(*options.bits * static_cast<double>(capacity) / cell_bits);
    cells = checked(static_cast<Uint128>(asked));
    if (hashes == 0) hashes = best_hashes(cells, capacity);
  } else {
    const std::uint64_t fpr = bits::fixed_part(asked_fpr(options));
    if (hashes == 0) hashes = hashes_for_fpr(capacity, fpr);
    cells = checked(cells_for_fpr(capacity, hashes, fpr));
  }
  return {regions_for(cells, hashes), hashes, capacity};
}

}  // namespace crivo::filter
