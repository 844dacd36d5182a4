// SPDX-License-Identifier: Apache-2.0
#include "structures/fuse/build/filter.hpp"

#include "structures/fuse/build/builder.hpp"
#include "structures/retrieval/build/fingerprints.hpp"

namespace crivo::filter {

Forecast forecast_fuse(std::uint64_t n, const FilterOptions& options) {
  const unsigned bits = fingerprint_bits(options);
  return {fuse::bits_per_key(n, bits, options.arity), fingerprint_fpr(n, bits)};
}

std::unique_ptr<Assembly> plan_fuse(std::uint64_t n, const FilterOptions& options) {
  const unsigned bits = fingerprint_bits(options);
  return fuse::plan(n, bits, options.arity, fingerprint_source(bits), fuse::HashPart::first_half);
}

}  // namespace crivo::filter
