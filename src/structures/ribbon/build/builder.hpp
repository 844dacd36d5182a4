// SPDX-License-Identifier: Apache-2.0
/// Builds a static function key -> value of any width from 1 to 64 bits by bumped ribbon retrieval,
/// and the filter of such functions.
#pragma once

#include <cstdint>
#include <memory>

#include "structures/build/assembly.hpp"
#include "structures/build/filter.hpp"
#include "structures/retrieval/build/value_source.hpp"
#include "structures/ribbon/header.hpp"

namespace crivo::ribbon {

/// The section (formats/ribbon.md) of n keys, whose keys are known by `part` of their hashes: about
/// 1.002 `width` + 0.015 bits a key from 10^6 keys on, 1.04 `width` below 4,096. Its bytes depend
/// on the keys and values alone, not on threads. Keys of a filter that share the first half of
/// their hashes must have one value. O(n); memory: 12 bytes, two values and `width` bits a key of
/// the partitions in work, of which a thread has kLanes, and `width` bits a key of those that wait
/// to be written.
std::unique_ptr<Assembly> plan(std::uint64_t n, Width width, retrieval::ValueSource values,
                               HashPart part = HashPart::whole);

/// About what the section of n values of `width` bits takes for each, its fixed header left out.
double bits_per_key(std::uint64_t n, Width width, HashPart part = HashPart::whole);

}  // namespace crivo::ribbon

namespace crivo::filter {

/// Returns the width that the options ask for: whole bits; or, of a rate that is no power of two,
/// the fewest whole bits that meet it, one less in so many rows that it is met but no more than
/// met. Throws Error(usage).
ribbon::Width ribbon_width(const FilterOptions& options);

/// Type::forecast, Type::plan and Type::open of the ribbon filter.
Forecast forecast_ribbon(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_ribbon(std::uint64_t n, const FilterOptions& options);

}  // namespace crivo::filter
