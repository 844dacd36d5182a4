// SPDX-License-Identifier: Apache-2.0
#include "base/system_random.hpp"
#include "crivo/build/build.hpp"

namespace crivo {

std::uint64_t random_seed() {
  return base::system_random();
}

}  // namespace crivo
