// SPDX-License-Identifier: Apache-2.0
#include "experiments/dictionaries/dictionary.hpp"

#include <algorithm>
#include <cmath>

#include "crivo/error.hpp"

namespace crivo::experiments {

std::uint32_t addresses_for(std::uint64_t n, double load, std::uint64_t least) {
  const double m = std::max(std::ceil(static_cast<double>(n) / load), static_cast<double>(least));
  if (!(load > 0 && m < UINT32_MAX)) {
    throw Error(ErrorKind::usage,
                "a dictionary's load is above 0, and its table has less than 2^32 "
                "addresses");
  }
  return static_cast<std::uint32_t>(m);
}

}  // namespace crivo::experiments
