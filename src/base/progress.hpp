// SPDX-License-Identifier: Apache-2.0
/// What every builder is given beside its input.
#pragma once

#include "base/scratch.hpp"
#include "crivo/progress.hpp"

namespace crivo::base {

using crivo::Progress;

struct BuildContext {
  unsigned threads = 1;
  Progress& progress;
  /// For what is held back until the end; null: all of it stays in memory.
  Scratch* scratch = nullptr;
};

}  // namespace crivo::base
