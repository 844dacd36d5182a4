// SPDX-License-Identifier: Apache-2.0
#include "build/exact_memory.hpp"

#include <algorithm>

#include "build/spilled_of.hpp"

namespace crivo::index {
namespace {

// Half of the stream's memory is the members', a quarter that of gathered keys.
std::uint64_t most_members(const MemoryBudget& budget) noexcept {
  return budget.stream_bytes() / 2;
}
std::uint64_t most_gathered(const MemoryBudget& budget) noexcept {
  return budget.stream_bytes() / 4;
}

constexpr std::uint64_t kMemberBytes = 16;    // a hash
constexpr std::uint64_t kGatheredBytes = 24;  // and its group or place

}  // namespace

std::uint64_t ExactMemory::peak(unsigned threads, const MemoryBudget& budget) const noexcept {
  // Fitted to the peak resident memory of builds of 10^4 to 10^6 members of 10^6 and 10^7 URLs.
  constexpr double kFixed = 9.8e6;
  constexpr double kWork = 12e6;     // of one thread
  constexpr double kMoreWork = 5e6;  // of each other
  constexpr double kWorkKey = 53;
  constexpr double kHeldMember = 34;
  constexpr double kHeldGathered = 26;
  const auto all = static_cast<double>(gathered);
  const double work = std::min(kWork + kMoreWork * (threads - 1), kWorkKey * all);
  const double held = std::min(kHeldMember * static_cast<double>(members),
                               static_cast<double>(most_members(budget)));
  const double passing = std::min(kHeldGathered * all, static_cast<double>(most_gathered(budget)));
  return static_cast<std::uint64_t>(kFixed + work + held + passing);
}

std::uint64_t ExactMemory::spilled(const MemoryBudget& budget) const noexcept {
  return spilled_of(kMemberBytes * members, most_members(budget)) +
         spilled_of(kGatheredBytes * gathered, most_gathered(budget));
}

}  // namespace crivo::index
