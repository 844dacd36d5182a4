#include "experiments/probing_count.hpp"

#include <vector>

namespace crivo::experiments {

std::uint64_t probing_collisions(std::span<const std::uint32_t> values, std::uint32_t slots,
                                 classic::Range range) {
  const classic::Reduction reduce(range, slots);
  std::vector<std::uint32_t> wanted(slots);
  for (const std::uint32_t value : values) ++wanted[reduce(value)];
  // Of the keys that have come to an entry, all but one go on to the next, and meet it for that.
  std::uint64_t collisions = 0;
  std::uint64_t waiting = 0;
  for (int round = 0; round < 2; ++round) {  // the second begins with those that come round the end
    collisions = 0;
    for (const std::uint32_t come : wanted) {
      waiting += come;
      if (waiting != 0) --waiting;
      collisions += waiting;
    }
  }
  return collisions;
}

}  // namespace crivo::experiments
