// SPDX-License-Identifier: Apache-2.0
/// Filters one above the other, which answer as one.
#pragma once

#include <memory>
#include <vector>

#include "structures/filter.hpp"

namespace crivo::filter {

/// So many layers at most of a filter that grows. The first one's rate would be 2^-15 of itself in
/// the last.
inline constexpr std::uint64_t kMostLayers = 16;

/// The filter that may hold what one of `layers`, at least one, may hold: the first is the oldest,
/// and each was filled until it was full, or has what was added to all before it (Almeida, Baquero,
/// Preguiça, Hutchison, "Scalable Bloom Filters", 2007). Its rate is that of a hash that none of
/// them holds.
std::unique_ptr<const Membership> join_layers(
    std::vector<std::unique_ptr<const Membership>> layers);

}  // namespace crivo::filter
