// SPDX-License-Identifier: Apache-2.0
/// What a user may ask of a bag.
#pragma once

#include "crivo/build/options.hpp"

namespace crivo {

struct BagOptions {
  unsigned bits = 8;  ///< of a fingerprint
};

template <typename Visit>
void visit_choices(detail::OptionsOf<BagOptions> auto& bag, Visit&& visit) {
  visit(Choice{.name = "bits", .option = "bits", .help = "fingerprint bits", .low = 1, .high = 32},
        bag.bits);
}

}  // namespace crivo
