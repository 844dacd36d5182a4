// SPDX-License-Identifier: Apache-2.0
/// What a loss of power left of a store's last commit.
#pragma once

#include "file/output_target.hpp"

namespace crivo::index {

/// Has a slot name the last commit of updates of the store in `target`, where one that was reported
/// is named by none: readers take such a commit while there is no writer alone, and would fall back
/// behind it while whoever calls this has the lock. For all who are to take the lock, before they
/// do. Does nothing where somebody has it, who did so before, and where the store cannot be opened:
/// its user, or who replaces it, is told of that by others.
void adopt_updates(const file::OutputTarget& target);

}  // namespace crivo::index
