// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/build/filter.hpp"

#include <cmath>

#include "structures/retrieval/build/fingerprints.hpp"
#include "structures/ribbon/build/builder.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::filter {
namespace {

/// What the options ask for: whole bits; or, of a rate that is no power of two, the fewest whole
/// bits that meet it, one less in so many rows that it is met but no more than met.
ribbon::Width ribbon_width(const FilterOptions& options) {
  const unsigned bits = fingerprint_bits(options);
  if (options.bits) return bits;
  const double narrow = std::ldexp(asked_fpr(options), static_cast<int>(bits)) - 1;
  return {bits, static_cast<std::uint32_t>(std::ldexp(narrow, 32))};
}

}  // namespace

Forecast forecast_ribbon(std::uint64_t n, const FilterOptions& options) {
  const ribbon::Width width = ribbon_width(options);
  return {ribbon::bits_per_key(n, width, ribbon::HashPart::first_half), ribbon::rate_of(n, width)};
}

std::unique_ptr<Assembly> plan_ribbon(std::uint64_t n, const FilterOptions& options) {
  const ribbon::Width width = ribbon_width(options);
  return ribbon::plan(n, width, fingerprint_source(width.bits), ribbon::HashPart::first_half);
}

}  // namespace crivo::filter
