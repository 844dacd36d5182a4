// SPDX-License-Identifier: Apache-2.0
/// What builds write to, as C names it.
#pragma once

#include "crivo.h"
#include "crivo/build/build.hpp"

namespace crivo::capi {

/// Throws Error(usage) for one that has neither a path nor a function.
Output output_of(const crivo_output* given);

}  // namespace crivo::capi
