// SPDX-License-Identifier: Apache-2.0
/// The filter type `range`, which tells of any range of numbers whether there may be a key in it
/// (formats/range.md). After Grafite (Costa, Ferragina and Vinciguerra, SIGMOD 2024): whatever the
/// keys and the ranges are, the rate is at most n L / r for ranges of L numbers, where r is the
/// number of codes that keys are hashed to, for log2(r / n) + 2 bits a key and an eighth or so.
#pragma once

#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter {

std::unique_ptr<const Membership> open_range(base::ByteView section);

}  // namespace crivo::filter
