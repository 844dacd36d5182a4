// SPDX-License-Identifier: Apache-2.0
/// The filter type `cuckoo`: fingerprints in a cuckoo hash table (formats/cuckoo.md).
///
///     section   header 64 | buckets of segment 0 | of 1 | ... | zero 16 | stash | pairs 8 | C 8
///     bucket    four slots of a fingerprint; or sorted: their first symbols as one number, and r
///               bits each
#pragma once

#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter {

std::unique_ptr<const Membership> open_cuckoo(base::ByteView section);

}  // namespace crivo::filter
