// SPDX-License-Identifier: Apache-2.0
#include "structures/trial/trial.hpp"

#include "structures/ribbon/table.hpp"

namespace crivo::filter {

std::unique_ptr<const Membership> open_trial(base::ByteView section) {
  return open_ribbon(section);
}

}  // namespace crivo::filter
