// SPDX-License-Identifier: Apache-2.0
#include "structures/exact/build/classes.hpp"

#include <algorithm>
#include <cmath>

namespace crivo::exact {
namespace {

/// A filter's section has so many bits beside its keys: header, padding, entry of the table,
/// checksum, and ends that are not full.
constexpr double kFilterBits = 8 * 300;

/// The bits of groups at a width, in filter and function.
double bits_of(const Sizes& sizes, unsigned width) noexcept {
  return static_cast<double>(sizes.kept) * (width + 1) +
         std::ldexp(static_cast<double>(sizes.refused), -static_cast<int>(width));
}

}  // namespace

unsigned best_width(const Sizes& sizes, unsigned least) noexcept {
  unsigned width = 0;
  while (width < kMostWidth && sizes.refused >> (width + 1) >= sizes.kept) ++width;
  return std::max(width, least);
}

std::array<unsigned, kMostWidth + 1> choose_widths(
    const std::array<Sizes, kMostWidth + 1>& by_width, unsigned least) noexcept {
  std::array<bool, kMostWidth + 1> used{};
  for (unsigned r = 0; r <= kMostWidth; ++r) used[r] = by_width[r].kept != 0;
  if (least == 0) used[0] = true;  // takes no filter
  // The neighbour of r among the used widths that its groups would take the fewest bits with.
  const auto next_best = [&](unsigned r) {
    std::optional<unsigned> best;
    for (unsigned other = 0; other <= kMostWidth; ++other) {
      if (other == r || !used[other]) continue;
      if (!best || bits_of(by_width[r], other) < bits_of(by_width[r], *best)) best = other;
    }
    return best;
  };
  // All groups' bits where the used widths are as they are.
  const auto all_bits = [&] {
    double bits = 0;
    for (unsigned r = 0; r <= kMostWidth; ++r) {
      if (used[r] && r != 0) bits += kFilterBits;
      if (by_width[r].kept == 0) continue;
      bits += bits_of(by_width[r], used[r] ? r : next_best(r).value_or(r));
    }
    return bits;
  };
  // Drops, again and again, the filter whose absence saves most.
  for (double bits = all_bits();;) {
    unsigned drop = 0;
    for (unsigned r = 1; r <= kMostWidth; ++r) {
      if (!used[r] || !next_best(r)) continue;
      used[r] = false;
      const double without = all_bits();
      used[r] = true;
      if (without >= bits) continue;
      bits = without;
      drop = r;
    }
    if (drop == 0) break;
    used[drop] = false;
  }
  std::array<unsigned, kMostWidth + 1> chosen{};
  for (unsigned r = 0; r <= kMostWidth; ++r) chosen[r] = used[r] ? r : next_best(r).value_or(r);
  return chosen;
}

}  // namespace crivo::exact
