// SPDX-License-Identifier: Apache-2.0
#include "lookup/lookup_blocks.hpp"

#include <string>

#include "crivo/detail/views.hpp"
#include "crivo/error.hpp"

namespace crivo::detail {

void fail_batch(std::size_t keys, std::size_t places) {
  throw Error(ErrorKind::usage, "a batch of " + std::to_string(keys) +
                                    " keys needs as many places for its answers, and was given " +
                                    std::to_string(places));
}

}  // namespace crivo::detail
