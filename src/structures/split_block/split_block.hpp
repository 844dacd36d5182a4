// SPDX-License-Identifier: Apache-2.0
/// The filter type `split-block-bloom`: Parquet's Bloom filter (formats/split-block-bloom.md).
///
///     section   n 8 | B 8 | zero 48 | B blocks of 32 bytes | rate 8
///     block     eight words of 32 bits, in each of which a key has one
#pragma once

#include <cstdint>
#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter::split_block {

/// More blocks than this cannot be told apart by 32 bits evenly enough.
inline constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 31;

}  // namespace crivo::filter::split_block

namespace crivo::filter {

std::unique_ptr<const Membership> open_split_block(base::ByteView section);

}  // namespace crivo::filter
