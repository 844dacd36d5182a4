// SPDX-License-Identifier: Apache-2.0
/// Writing the section that structures/exact/groups.hpp reads.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "structures/exact/groups.hpp"

namespace crivo::exact {

/// `groups` ascend; without groups there is one.
base::Bytes encode_groups(const Totals& totals, const std::vector<Group>& groups);

}  // namespace crivo::exact
