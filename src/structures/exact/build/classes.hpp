// SPDX-License-Identifier: Apache-2.0
/// How a group of an exact set is answered for, and which width its filter has.
///
/// A filter at 2^-r over the n members of a group lets some M 2^-r of its M others through, and one
/// bit tells these from the members: n (r + 1) + M 2^-r bits. The best whole r is floor(log2(M /
/// n)), and 0, without a filter, where others are fewer than twice the members. Where members are
/// more than others, the filter is over the others instead. Fractional widths gain nothing: what
/// they take is a straight line between those of whole ones.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "structures/exact/groups.hpp"

namespace crivo::exact {

/// The keys of a group, or of some, that a filter is over, and those that it is to refuse.
struct Sizes {
  std::uint64_t kept = 0;
  std::uint64_t refused = 0;
};

/// floor(log2(refused / kept)) as far as there is such a width; at least `least`. `kept` is not 0.
unsigned best_width(const Sizes& sizes, unsigned least) noexcept;

/// The width that groups of each best width get: fewer filters where the bytes of one are more than
/// it saves. Never one below `least`. `by_width[r]` sums up the groups whose best width is r.
std::array<unsigned, kMostWidth + 1> choose_widths(
    const std::array<Sizes, kMostWidth + 1>& by_width, unsigned least) noexcept;

}  // namespace crivo::exact
