// SPDX-License-Identifier: Apache-2.0
/// The build of whole partitions of a coded section: all of their levels.
#pragma once

#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "stream/owned_keys.hpp"
#include "structures/csf/build/planned_level.hpp"

namespace crivo::csf {

/// A partition's bytes in the file.
struct BuiltPartition {
  base::Bytes body;   ///< its plain section, if there is one, then its ribbons in turn
  base::Bytes entry;  ///< in the table of partitions
};

/// Builds partitions together, ribbon by ribbon, as many slices as there are in lock step. Each has
/// its keys, with the hashes that they have there (formats/coded.md), ascending, and their values,
/// which are below 2^width. What is built depends on a partition's own keys alone. Throws
/// Error(bad_input) if the hashes are so unlike random ones that a ribbon fails. Memory: beside
/// the keys 24 bytes each, and 17 bytes a slot of ribbon::kLanes slices.
std::vector<BuiltPartition> build_group(std::vector<stream::OwnedKeys> partitions,
                                        std::span<const PlannedLevel> levels, unsigned width);

}  // namespace crivo::csf
