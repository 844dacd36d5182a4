// SPDX-License-Identifier: Apache-2.0
#include "structures/retrieval/build/fingerprints.hpp"

#include <algorithm>
#include <cmath>

#include "base/refuse_option.hpp"
#include "crivo/detail/filter_lookup.hpp"
#include "structures/build/filter.hpp"

namespace crivo::filter {

retrieval::ValueSource fingerprint_source(unsigned bits) {
  return [bits](std::span<const Hash128> keys, std::uint64_t, std::span<std::uint64_t> values) {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    std::ranges::transform(keys, values.begin(),
                           [mask](Hash128 hash) { return detail::fingerprint(hash.hi) & mask; });
  };
}

unsigned fingerprint_bits(const FilterOptions& options) {
  if (!options.bits) {
    const double fpr = asked_fpr(options);
    unsigned bits = 1;
    while (std::ldexp(1.0, -static_cast<int>(bits)) > fpr) ++bits;
    return bits;
  }
  if (!(*options.bits >= 1 && *options.bits <= kMaxFingerprintBits) ||
      *options.bits != std::floor(*options.bits)) {
    base::refuse_option("bits", *options.bits, "is not a whole number from 1 to 32");
  }
  return static_cast<unsigned>(*options.bits);
}

}  // namespace crivo::filter
