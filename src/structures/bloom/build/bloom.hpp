// SPDX-License-Identifier: Apache-2.0
/// How the Bloom filters are built and changed (structures/bloom/bloom.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "structures/build/filter.hpp"

namespace crivo::filter {

/// Type::forecast, Type::plan, Type::open and Type::edit of the plain Bloom filter.
Forecast forecast_bloom(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_bloom(std::uint64_t n, const FilterOptions& options);
/// Builder::unsorted, by with_second_half().
std::uint64_t bloom_bytes(std::uint64_t n, const FilterOptions& options);
void fill_bloom(std::span<const std::uint64_t> hashes, const FilterOptions& options,
                std::span<std::byte> section);
/// Adds only; a hash that the filter may hold changes nothing and is not counted as another.
std::unique_ptr<Editor> edit_bloom(base::ByteView section);

/// The same of the counting one, whose counters have options.counter_bits bits.
Forecast forecast_counting_bloom(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_counting_bloom(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Editor> edit_counting_bloom(base::ByteView section);

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
