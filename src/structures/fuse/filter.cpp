// SPDX-License-Identifier: Apache-2.0
#include "structures/fuse/filter.hpp"

#include "structures/fuse/table.hpp"
#include "structures/retrieval/fingerprint_filter.hpp"

namespace crivo::filter {

std::unique_ptr<const Membership> open_fuse(base::ByteView section) {
  return std::make_unique<FingerprintFilter<fuse::Table>>(
      fuse::Table(section, fuse::HashPart::first_half));
}

}  // namespace crivo::filter
