// SPDX-License-Identifier: Apache-2.0
#include "experiments/probing_theory.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace crivo::experiments {
namespace {

/// Entries [begin, end) with so many keys each.
struct Stretch {
  double begin;
  double end;
  double load;
};

/// Collisions in all: of each stretch that is not full its own, at random; of full ones, how many
/// keys are waiting for room at each entry, taken as a fluid.
double total_collisions(const std::vector<Stretch>& stretches) {
  double total = 0;
  double waiting = 0;
  for (int round = 0; round < 2; ++round) {  // what waits at the end goes on at the beginning
    if (round == 1 && waiting == 0) break;
    total = 0;
    for (const Stretch& stretch : stretches) {
      double begin = stretch.begin;
      const double rate = stretch.load - 1;
      if (rate >= 0 || waiting > 0) {
        // Until the stretch ends, or all that wait have found room.
        const double length =
            rate >= 0 ? stretch.end - begin : std::min(stretch.end - begin, waiting / -rate);
        const double left = std::max(0.0, waiting + rate * length);
        total += (waiting + left) / 2 * length;
        waiting = left;
        begin += length;
      }
      if (rate < 0) {
        total += stretch.load * (stretch.end - begin) * uniform_collisions(stretch.load);
      }
    }
  }
  return total;
}

}  // namespace

FoldedLoad folded_load(std::uint64_t keys, std::uint32_t addresses) {
  const auto bits = static_cast<unsigned>(std::bit_width(addresses - 1));
  FoldedLoad folded;
  folded.once = static_cast<double>(keys) / static_cast<double>(std::uint64_t{1} << bits);
  folded.twice = 2 * folded.once;
  std::vector<Stretch> stretches{{0, 1, folded.twice}};  // the value m itself goes to 0
  double doubled = 1;
  for (unsigned j = 0; j < bits; ++j) {
    const std::uint64_t begin = std::uint64_t{1} << j;
    if (begin >= addresses) break;
    const bool twice = (addresses & begin) == 0;
    const auto end = static_cast<double>(std::min<std::uint64_t>(2 * begin, addresses));
    stretches.push_back({static_cast<double>(begin), end, twice ? folded.twice : folded.once});
    if (twice) doubled += end - static_cast<double>(begin);
  }
  if (addresses == std::uint64_t{1} << bits) {  // nothing to fold
    stretches = {{0, static_cast<double>(addresses), folded.once}};
    doubled = 0;
  }
  const auto n = static_cast<double>(keys);
  folded.doubled = folded.twice * doubled / n;
  folded.collisions = total_collisions(stretches) / n;
  return folded;
}

}  // namespace crivo::experiments
