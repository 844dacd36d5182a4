// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/as_error.hpp"
#include "build/choices.hpp"
#include "build/universe_input.hpp"
#include "crivo/build/kinds.hpp"
#include "crivo/error.hpp"
#include "lookup/filter_file.hpp"
#include "structures/build/filter.hpp"

namespace crivo {
namespace {

const filter::FilterCost& cost_of(const filter::Builder& type, const FilterOptions& options) {
  const auto* found = std::ranges::find_if(type.variants, [&](const filter::FilterCost& cost) {
    return cost.arity == options.arity && cost.semi_sorted == options.semi_sorted;
  });
  return found != type.variants.end() ? *found : type.variants.front();
}

std::string format(const char* pattern, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), pattern, value);
  return text.data();
}

/// A type with what makes it the variant it is.
std::string name_of(const FilterOptions& options) {
  if (options.semi_sorted) return options.type + ", semi-sorted";
  if (options.arity != FilterOptions{}.arity) {
    return options.type + ", arity " + std::to_string(options.arity);
  }
  return options.type;
}

/// Why a type will not do, whatever its size.
std::string problem_of(const filter::Builder& type, const FilterNeeds& needs) {
  const bool adds = (type.type().can & filter::kAdds) != 0;
  const bool removes = (type.type().can & filter::kRemoves) != 0;
  if (needs.is_mutable && !adds) return "cannot be changed";
  if (needs.is_mutable && !removes) return "keys cannot be removed";
  if (needs.unites && (type.type().can & filter::kUnites) == 0) return "cannot be united";
  return {};
}

FilterCandidate candidate_of(const filter::Builder& type, const FilterOptions& options,
                             const FilterNeeds& needs) {
  FilterCandidate candidate;
  candidate.options = options;
  candidate.name = name_of(options);
  const filter::FilterCost& cost = cost_of(type, options);
  const filter::FilterCost& unit = filter::builders().front().variants.front();
  candidate.lookup_cost = cost.lookup_ns / unit.lookup_ns;
  candidate.build_cost = cost.build_ns / unit.build_ns;
  candidate.adds = (type.type().can & filter::kAdds) != 0;
  candidate.removes = (type.type().can & filter::kRemoves) != 0;
  candidate.counts = (type.type().can & filter::kCounts) != 0;
  candidate.unites = (type.type().can & filter::kUnites) != 0;
  candidate.problem = problem_of(type, needs);
  try {
    const filter::Forecast forecast = type.forecast(needs.keys, options);
    candidate.bits_per_key = forecast.bits_per_key;
    candidate.fpr = forecast.fpr;
    candidate.bytes = static_cast<std::uint64_t>(
        std::ceil(forecast.bits_per_key * static_cast<double>(needs.keys) / 8));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    candidate.bits_per_key = std::numeric_limits<double>::infinity();
    candidate.problem = error.what();
  }
  return candidate;
}

std::string reason_for(const FilterNeeds& needs, std::span<const FilterCandidate> fit) {
  if (fit.empty()) return "no type does all that is asked";
  const FilterCandidate& choice = fit.front();
  const bool special = needs.is_mutable || needs.unites;
  std::string reason = choice.name + " takes the least space of the types that ";
  reason += special ? "can do what is asked" : "hold fixed sets";
  const double bound = -std::log2(needs.fpr);
  if (needs.keys != 0) {
    reason += format(": %.2f bits/key", choice.bits_per_key) +
              format(", %.1f %% above", 100 * (choice.bits_per_key / bound - 1)) +
              format(" the least that any filter of this rate can have (%.2f)", bound);
  }
  const auto fastest = std::ranges::min_element(fit, {}, &FilterCandidate::lookup_cost);
  if (fastest != fit.begin() && fastest->lookup_cost < 0.8 * choice.lookup_cost) {
    reason +=
        "; " + fastest->name +
        format(" looks keys up in %.2f of its time", fastest->lookup_cost / choice.lookup_cost);
    if (needs.keys != 0) {
      reason += format(" for %.2f times the space", fastest->bits_per_key / choice.bits_per_key);
    }
  }
  return reason;
}

/// The bits a key of an exact set, where there is one.
void add_exact(const FilterNeeds& needs, FilterAdvice& advice) {
  if (needs.universe == 0) return;
  if (needs.universe < needs.keys)
    throw Error(ErrorKind::usage, "the universe has the keys among it, and cannot be smaller",
                {.remedy = "universe"});
  if (needs.keys == 0 || needs.is_mutable || needs.unites) return;
  const auto keys = static_cast<double>(needs.keys);
  const double bits = exact::forecast_bits(needs.keys, needs.universe);
  advice.exact_bits_per_key = bits / keys;
  advice.exact_bytes = static_cast<std::uint64_t>(std::ceil(bits / 8));
  if (!advice.choice) return;
  const double chosen = advice.candidates[*advice.choice].bits_per_key;
  advice.exact_is_smaller = advice.exact_bits_per_key < chosen;
  advice.reason +=
      format("; an exact set over the universe takes %.2f bits/key", advice.exact_bits_per_key) +
      (advice.exact_is_smaller ? ", which is less, and has no errors"
                               : ", which is more, and has no errors");
}

}  // namespace

FilterAdvice advise_filter(const FilterNeeds& needs) try {
  FilterAdvice advice;
  for (const filter::Builder& type : filter::builders()) {
    if ((type.type().can & filter::kRanges) != 0) continue;  // not for any key
    FilterOptions options;
    options.type = type.name;
    options.fpr = needs.fpr;
    (void)filter::asked_fpr(options);
    advice.candidates.push_back(candidate_of(type, options, needs));
    if (index::takes<FilterOptions>("arity", type.name)) {
      options.arity = 3;
      advice.candidates.push_back(candidate_of(type, options, needs));
    }
    if (index::takes<FilterOptions>("semi_sorted", type.name)) {
      options.semi_sorted = true;
      advice.candidates.push_back(candidate_of(type, options, needs));
    }
  }
  std::ranges::stable_sort(advice.candidates, [](const auto& a, const auto& b) {
    if (a.problem.empty() != b.problem.empty()) return a.problem.empty();
    return a.bits_per_key < b.bits_per_key;
  });
  const auto end =
      std::ranges::find_if(advice.candidates, [](const auto& one) { return !one.problem.empty(); });
  const std::span<const FilterCandidate> fit(advice.candidates.begin(), end);
  if (!fit.empty()) advice.choice = 0;
  advice.reason = reason_for(needs, fit);
  add_exact(needs, advice);
  return advice;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
