// SPDX-License-Identifier: Apache-2.0
/// How a split-block Bloom filter is built (structures/split_block/split_block.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "structures/build/filter.hpp"

namespace crivo::filter {

/// Type::forecast, Type::plan and Type::open of the split-block Bloom filter, whose hashes have the
/// XXH64 of their keys as `hi`. It is built a run of blocks at a time; the number of blocks follows
/// from n and the options alone, and fpr() of the filter is that of the bits that came of it.
Forecast forecast_split_block(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_split_block(std::uint64_t n, const FilterOptions& options);

}  // namespace crivo::filter
