// SPDX-License-Identifier: Apache-2.0
/// What of a key's hash a static function looks at.
#pragma once

#include <cstdint>

namespace crivo::retrieval {

enum class HashPart : std::uint8_t {
  whole,       ///< both halves of the hash
  first_half,  ///< (hi, hi): of filters. Keys that share the first half must have one value.
};

}  // namespace crivo::retrieval
