// SPDX-License-Identifier: Apache-2.0
/// What a split-block Bloom filter may have.
#pragma once

#include <cstdint>

namespace crivo::filter::split_block {

/// More blocks than this cannot be told apart by 32 bits evenly enough.
inline constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 31;

}  // namespace crivo::filter::split_block
