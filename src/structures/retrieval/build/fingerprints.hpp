// SPDX-License-Identifier: Apache-2.0
/// The fingerprints of keys, of which filters are built.
#pragma once

#include <cmath>
#include <cstdint>

#include "crivo/build/options.hpp"
#include "structures/retrieval/build/value_source.hpp"
#include "structures/retrieval/fingerprint_filter.hpp"

namespace crivo::filter {

/// Gives each key its fingerprint of `bits` bits.
retrieval::ValueSource fingerprint_source(unsigned bits);

/// Those the options name, or the fewest whose rate 2^-bits is at most the one asked. Throws
/// Error(usage) unless they are a whole number from 1 to 32.
unsigned fingerprint_bits(const FilterOptions& options);

/// The false-positive rate of fingerprints, in a filter that holds any key at all.
inline double fingerprint_fpr(std::uint64_t n, unsigned bits) noexcept {
  return n == 0 ? 0 : std::ldexp(1.0, -static_cast<int>(bits));
}

}  // namespace crivo::filter
