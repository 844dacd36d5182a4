// SPDX-License-Identifier: Apache-2.0
#include "structures/filter.hpp"

#include <algorithm>

namespace crivo::filter {

namespace {

bool ask(const void* filter, std::uint64_t hi, std::uint64_t lo) noexcept {
  return static_cast<const Membership*>(filter)->contains(Hash128{hi, lo});
}

}  // namespace

detail::FilterLookup Membership::lookup() const noexcept {
  return {.call = ask, .filter = this};
}

void Membership::contains_runs(std::span<const NumberRun> runs, bool* answers) const noexcept {
  std::ranges::transform(runs, answers, [this](const NumberRun& run) { return contains_run(run); });
}

}  // namespace crivo::filter
