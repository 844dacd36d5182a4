// SPDX-License-Identifier: Apache-2.0
/// Unions and intersections of plain Bloom filters, and how many keys they hold.
#pragma once

#include <span>

#include "structures/build/filter.hpp"

namespace crivo::filter {

/// Type::combine of the plain Bloom filter: the filters must have equal cells and hashes. A bit of
/// the union is set where any has it, of the intersection where all have it; so the one is the
/// filter of all keys, and the other holds the common keys, and by chance more than a filter built
/// of them would.
///
/// The size of a union is estimated from its empty cells, that of the intersection by inclusion and
/// exclusion over the unions of all subsets, with the sizes that the headers tell (Papapetrou,
/// Siberski, Nejdl, "Cardinality estimation and dynamic length adaptation for Bloom filters",
/// Distributed and Parallel Databases 2010). O(cells 2^filters) up to kMaxIntersected, then
/// O(cells filters).
Combined combine_bloom(std::span<const NamedSection> sections, SetOperation operation,
                       base::Sink& sink);

}  // namespace crivo::filter
