// SPDX-License-Identifier: Apache-2.0
/// The filter type `ribbon`: a static function of a fingerprint of each key (formats/ribbon.md).
#pragma once

#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter {

std::unique_ptr<const Membership> open_ribbon(base::ByteView section);

}  // namespace crivo::filter
