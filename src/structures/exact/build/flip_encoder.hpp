// SPDX-License-Identifier: Apache-2.0
/// Writing the list of flips that structures/exact/flip_list.hpp reads.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "structures/exact/flip_list.hpp"

namespace crivo::exact {

/// The cells of a group with so many keys in the universe, as a power of two.
unsigned cell_bits_for(std::uint64_t keys, std::uint64_t flips) noexcept;

/// The bits of a list. `flips` are distinct and ascend; so do `others`, which have all other keys
/// of the universe that share a cell with a flip, and may have the flips and more. `groups` are
/// those of the flips, in order. Throws Error(bad_input) if two keys cannot be told apart. O(2000
/// flips), on all threads.
base::Bytes encode_flips(std::span<const GroupedKey> flips, std::span<const GroupedKey> others,
                         std::span<const FlipGroup> groups, unsigned threads);

}  // namespace crivo::exact
