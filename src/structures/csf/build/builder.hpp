// SPDX-License-Identifier: Apache-2.0
/// Builds a static function of skewed values: by prefix-free codes over one-bit ribbons, behind
/// filters where one value is most of them.
#pragma once

#include <memory>

#include "structures/build/assembly.hpp"
#include "structures/csf/build/histogram.hpp"
#include "structures/retrieval/build/value_source.hpp"

namespace crivo::csf {

/// The section (formats/coded.md) of the keys that `histogram` was made of: a few hundredths over
/// the entropy of the values from 10^6 keys on, about a tenth where that is below a bit. `values`
/// may be any below 2^64. Its bytes depend on the keys and values alone, not on threads. Parts
/// throw Error(bad_input) if the hashes are so unlike random ones that they fail. O(n) a level;
/// memory: that of the partitions in work, of at most 2^19 keys each, and the codes.
std::unique_ptr<Assembly> plan(const Histogram& histogram, retrieval::ValueSource values);

}  // namespace crivo::csf
