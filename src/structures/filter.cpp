// SPDX-License-Identifier: Apache-2.0
#include "structures/filter.hpp"

#include <algorithm>
#include <cmath>

#include "base/refuse_option.hpp"
#include "crivo/error.hpp"

namespace crivo::filter {

void Type::build(const stream::HashSource& hashes, const FilterOptions& options,
                 const base::BuildContext& context, base::Sink& sink) const {
  if (plan == nullptr) return build_whole(hashes, options, context, sink);
  const std::unique_ptr<Assembly> assembly = plan(hashes.size(), options);
  context.progress.begin("filter", hashes.size());
  crivo::build(*assembly, hashes, context, sink);
}
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

double asked_fpr(const FilterOptions& options) {
  const double fpr = options.fpr.value_or(1.0 / 256);
  if (!(fpr < 1) || !(fpr >= std::ldexp(1.0, -32))) {
    base::refuse_option("fpr", fpr, "is not between 2^-32 and 1");
  }
  return fpr;
}

}  // namespace crivo::filter
