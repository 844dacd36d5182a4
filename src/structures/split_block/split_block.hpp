// SPDX-License-Identifier: Apache-2.0
/// The filter type `split-block-bloom`: Parquet's Bloom filter (formats/split-block-bloom.md).
///
///     section   n 8 | B 8 | zero 48 | B blocks of 32 bytes | rate 8
///     block     eight words of 32 bits, in each of which a key has one
#pragma once

#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter {

std::unique_ptr<const Membership> open_split_block(base::ByteView section);

}  // namespace crivo::filter
