// SPDX-License-Identifier: Apache-2.0
/// The filter type `split-block-bloom`: Parquet's Bloom filter (formats/split-block-bloom.md).
///
///     section   n 8 | B 8 | zero 48 | B blocks of 32 bytes | rate 8
///     block     eight words of 32 bits, in each of which a key has one
#pragma once

#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter {

/// Type::forecast, Type::plan and Type::open of the split-block Bloom filter, whose hashes have the
/// XXH64 of their keys as `hi`. It is built a run of blocks at a time; the number of blocks follows
/// from n and the options alone, and fpr() of the filter is that of the bits that came of it.
Forecast forecast_split_block(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_split_block(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<const Membership> open_split_block(base::ByteView section);

}  // namespace crivo::filter
