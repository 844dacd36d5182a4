// SPDX-License-Identifier: Apache-2.0
/// A trial: a ribbon under another name.
#pragma once

#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter {

std::unique_ptr<const Membership> open_trial(base::ByteView section);

}  // namespace crivo::filter
