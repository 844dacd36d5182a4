#include "filter/bloom_sizing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "crivo/error.hpp"
#include "filter/filter_file.hpp"

namespace crivo::filter {
namespace {

constexpr double kMaxBits = 4096;  // per key
/// The build makes a filter anew that exceeds its rate all the same: one in 40. But filters of one
/// capacity shall have one shape, to be united, so fewer of those: one in 30,000.
constexpr double kSigmas = 2;
constexpr double kSigmasOfCapacity = 4;

/// The cells in which `keys` keys occupy the part `fill`.
double cells_for_fill(double keys, unsigned hashes, double fill) noexcept {
  return std::ceil(-static_cast<double>(hashes) * keys / std::log1p(-fill));
}

/// The cells in which `keys` keys have at most the rate `fpr`, even if by `sigmas` standard
/// deviations more cells than expected come to be occupied.
double cells_for_fpr(double keys, unsigned hashes, double fpr, double sigmas) noexcept {
  const double fill = std::pow(fpr, 1.0 / hashes);
  const double cells = cells_for_fill(keys, hashes, fill);
  // The variance of the number of empty cells when balls are thrown into bins.
  const double load = -std::log1p(-fill);
  const double empty = 1 - fill;
  const double sigma = std::sqrt(empty * (1 - (1 + load) * empty) / cells);
  return cells_for_fill(keys, hashes, std::max(fill - sigmas * sigma, fill / 2));
}

/// The number of probes with which the cells for a rate are fewest: beside log2(1/fpr).
unsigned hashes_for_fpr(double keys, double fpr, double sigmas) noexcept {
  const double ideal = -std::log2(fpr);
  const auto low = static_cast<unsigned>(std::clamp(std::floor(ideal), 1.0, double{kMaxHashes}));
  const unsigned high = std::min(low + 1, kMaxHashes);
  return cells_for_fpr(keys, high, fpr, sigmas) < cells_for_fpr(keys, low, fpr, sigmas) ? high
                                                                                        : low;
}

}  // namespace

double bloom_fpr(double cells, double keys, unsigned hashes) noexcept {
  if (keys == 0) return 0;
  return std::pow(-std::expm1(hashes * keys * std::log1p(-1 / cells)), hashes);
}

double optimal_hashes(double cells, double keys) noexcept {
  return cells / keys * std::numbers::ln2;
}

unsigned best_hashes(double cells, double keys) noexcept {
  const double ideal = std::floor(optimal_hashes(cells, keys));
  const auto low = static_cast<unsigned>(std::clamp(ideal, 1.0, double{kMaxHashes}));
  const unsigned high = std::min(low + 1, kMaxHashes);
  return bloom_fpr(cells, keys, high) < bloom_fpr(cells, keys, low) ? high : low;
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
  if (options.hashes > kMaxHashes) {
    throw Error(ErrorKind::usage, "a key has 1 to 64 hashes");
  }
  const std::uint64_t capacity = std::max({n, options.capacity, std::uint64_t{1}});
  const auto keys = static_cast<double>(capacity);
  double cells = 0;
  unsigned hashes = options.hashes;
  if (options.bits) {
    if (!(*options.bits > 0 && *options.bits <= kMaxBits)) {
      throw Error(ErrorKind::usage, "the bits per key must be above 0 and at most 4096");
    }
    cells = std::ceil(*options.bits * keys / cell_bits);
    if (hashes == 0) hashes = best_hashes(cells, keys);
  } else {
    const double fpr = asked_fpr(options);
    const double sigmas = options.capacity == 0 ? kSigmas : kSigmasOfCapacity;
    if (hashes == 0) hashes = hashes_for_fpr(keys, fpr, sigmas);
    cells = cells_for_fpr(keys, hashes, fpr, sigmas);
  }
  if (!(cells <= static_cast<double>(kMaxCells))) {
    throw Error(ErrorKind::usage, "a filter with room for " + std::to_string(capacity) +
                                      " keys would have more than 2^56 cells");
  }
  return {static_cast<std::uint64_t>(std::max(cells, 1.0)), hashes, capacity};
}

}  // namespace crivo::filter
