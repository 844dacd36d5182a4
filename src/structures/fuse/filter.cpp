// SPDX-License-Identifier: Apache-2.0
#include "structures/fuse/filter.hpp"

#include "structures/fuse/builder.hpp"
#include "structures/fuse/table.hpp"
#include "structures/retrieval/fingerprint_filter.hpp"

namespace crivo::filter {

Forecast forecast_fuse(std::uint64_t n, const FilterOptions& options) {
  const unsigned bits = fingerprint_bits(options);
  return {fuse::bits_per_key(n, bits, options.arity), fingerprint_fpr(n, bits)};
}

std::unique_ptr<Assembly> plan_fuse(std::uint64_t n, const FilterOptions& options) {
  const unsigned bits = fingerprint_bits(options);
  return fuse::plan(n, bits, options.arity, fingerprint_source(bits), fuse::HashPart::first_half);
}

std::unique_ptr<const Membership> open_fuse(base::ByteView section) {
  return std::make_unique<FingerprintFilter<fuse::Table>>(
      fuse::Table(section, fuse::HashPart::first_half));
}

}  // namespace crivo::filter
