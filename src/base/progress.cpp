// SPDX-License-Identifier: Apache-2.0
#include "crivo/progress.hpp"

#include "crivo/error.hpp"

namespace crivo {

void Progress::fail_cancelled() {
  throw Error(ErrorKind::cancelled, "cancelled");
}

}  // namespace crivo
