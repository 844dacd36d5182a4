// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/filter.hpp"

#include "structures/retrieval/fingerprint_filter.hpp"
#include "structures/ribbon/table.hpp"

namespace crivo::filter {

std::unique_ptr<const Membership> open_ribbon(base::ByteView section) {
  return std::make_unique<FingerprintFilter<ribbon::Table>>(
      ribbon::Table(section, ribbon::HashPart::first_half));
}

}  // namespace crivo::filter
