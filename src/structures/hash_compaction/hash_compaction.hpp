// SPDX-License-Identifier: Apache-2.0
/// The filter type `hash-compaction`: a dictionary of compressed keys of one width
/// (formats/hash-compaction.md).
///
///     section   header 64 | T slots of w bits, ascending but for the free ones | zero 16
#pragma once

#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter {

std::unique_ptr<const Membership> open_hash_compaction(base::ByteView section);

}  // namespace crivo::filter
