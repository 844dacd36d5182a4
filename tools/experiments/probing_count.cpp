// SPDX-License-Identifier: Apache-2.0
#include "experiments/probing_count.hpp"

#include <limits>
#include <vector>

namespace crivo::experiments {
namespace {

/// Counts how often each entry is wanted; false, and not all counted, if that is more than a Count
/// tells.
template <typename Count>
bool count_wanted(std::span<const std::uint32_t> values, const classic::Reduction& reduce,
                  std::vector<Count>& wanted) {
  for (const std::uint32_t value : values) {
    if (++wanted[reduce(value)] == std::numeric_limits<Count>::max()) return false;
  }
  return true;
}

template <typename Count>
std::uint64_t collisions(const std::vector<Count>& wanted) {
  // Of the keys that have come to an entry, all but one go on to the next, and meet it for that.
  std::uint64_t met = 0;
  std::uint64_t waiting = 0;
  for (int round = 0; round < 2; ++round) {  // the second begins with those that come round the end
    met = 0;
    const std::uint64_t before = waiting;
    for (const Count come : wanted) {
      waiting += come;
      if (waiting != 0) --waiting;
      met += waiting;
    }
    if (round == 0 && waiting == before) break;  // none does
  }
  return met;
}

}  // namespace

std::uint64_t probing_collisions(std::span<const std::uint32_t> values, std::uint32_t slots,
                                 classic::Range range) {
  const classic::Reduction reduce(range, slots);
  // A byte an entry does nearly always, and stays in cache.
  std::vector<std::uint8_t> few(slots);
  if (count_wanted(values, reduce, few)) return collisions(few);
  std::vector<std::uint64_t> many(slots);
  count_wanted(values, reduce, many);  // no count is beyond 64 bits
  return collisions(many);
}

}  // namespace crivo::experiments
