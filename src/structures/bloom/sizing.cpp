// SPDX-License-Identifier: Apache-2.0
#include "structures/bloom/sizing.hpp"

#include <cmath>

namespace crivo::filter {

double bloom_fpr(double cells, double keys, unsigned hashes) noexcept {
  if (keys == 0) return 0;
  return std::pow(-std::expm1(hashes * keys * std::log1p(-1 / cells)), hashes);
}

}  // namespace crivo::filter
