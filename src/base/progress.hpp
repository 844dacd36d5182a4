// SPDX-License-Identifier: Apache-2.0
/// What every builder is given beside its input.
#pragma once

#include "crivo/progress.hpp"

namespace crivo::base {

using crivo::Progress;

struct BuildContext {
  unsigned threads = 1;
  Progress& progress;
};

}  // namespace crivo::base
