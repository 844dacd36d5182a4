// SPDX-License-Identifier: Apache-2.0
/// Builds a static function key -> value of any width from 1 to 64 bits by bumped ribbon retrieval.
#pragma once

#include <cstdint>
#include <memory>

#include "structures/assembly.hpp"
#include "structures/retrieval/value_source.hpp"
#include "structures/ribbon/header.hpp"

namespace crivo::ribbon {

/// The section (formats/ribbon.md) of n keys, of the type that has `layout`: about 1.002 `width` +
/// 0.02 bits a key from 10^6 keys on, 1.03 `width` below 20,000. Its bytes depend on the keys and
/// values alone, not on threads. With blocks of 64, a filter's, only the first half of a hash
/// counts: keys that share it must have one value. Sets of fewer than 20,000 keys get all of the
/// width. O(n); memory: 12 bytes, two values and `width` bits a key of the partitions in work, of
/// which a thread has kLanes, and `width` bits a key of those that wait to be written.
std::unique_ptr<Assembly> plan(std::uint64_t n, Width width, retrieval::ValueSource values,
                               Layout layout = Layout::blocks_of_8);

/// About what the section of n values of `width` bits takes for each, its fixed header left out.
double bits_per_key(std::uint64_t n, Width width);

}  // namespace crivo::ribbon
