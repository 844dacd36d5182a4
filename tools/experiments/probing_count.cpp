#include "experiments/probing_count.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace crivo::experiments {
namespace {

/// Nothing if an entry is wanted more often than a Count tells.
template <typename Count>
std::optional<std::uint64_t> collisions(std::span<const std::uint32_t> values, std::uint32_t slots,
                                        classic::Range range) {
  const classic::Reduction reduce(range, slots);
  std::vector<Count> wanted(slots);
  for (const std::uint32_t value : values) {
    if (++wanted[reduce(value)] == std::numeric_limits<Count>::max()) return std::nullopt;
  }
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
  // A byte an entry does nearly always, and stays in cache.
  if (const auto met = collisions<std::uint8_t>(values, slots, range)) return *met;
  // No count is beyond 64 bits.
  return *collisions<std::uint64_t>(values, slots,
                                    range);  // NOLINT(bugprone-unchecked-optional-access)
}

}  // namespace crivo::experiments
