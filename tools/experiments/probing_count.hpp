// SPDX-License-Identifier: Apache-2.0
/// The collisions of linear probing without the table.
#pragma once

#include <cstdint>
#include <span>

#include "structures/classic/range.hpp"

namespace crivo::experiments {

/// How many taken entries keys with these hash values meet in all when they are inserted into a
/// table of `slots` entries, more than there are keys, by linear probing: whatever their order, so
/// it is enough to know how many want each entry. O(keys + slots), and a byte an entry.
std::uint64_t probing_collisions(std::span<const std::uint32_t> values, std::uint32_t slots,
                                 classic::Range range);

}  // namespace crivo::experiments
