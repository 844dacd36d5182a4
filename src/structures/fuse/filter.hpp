// SPDX-License-Identifier: Apache-2.0
/// The filter type `fuse`: a static function of a fingerprint of each key (formats/fuse.md).
#pragma once

#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter {

std::unique_ptr<const Membership> open_fuse(base::ByteView section);

}  // namespace crivo::filter
