// SPDX-License-Identifier: Apache-2.0
/// The filter types `bloom` and `counting-bloom` (formats/bloom.md): m cells of which each key
/// occupies k. L. Fan, P. Cao, J. Almeida, A. Broder, "Summary cache" (1998) count in the cells.
///
///     section   header 64 | cells of region 0 | of region 1 | ... | occupied 8 | saturated 8
///     region    m / 2^g cells of b bits; a key's k cells are all in the region of its first g bits
#pragma once

#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter {

std::unique_ptr<const Membership> open_bloom(base::ByteView section);
std::unique_ptr<const Membership> open_counting_bloom(base::ByteView section);

}  // namespace crivo::filter
