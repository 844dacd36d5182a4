// SPDX-License-Identifier: Apache-2.0
#include "input/units.hpp"

#include <string>

namespace crivo::input {

void refuse_key(std::string_view key, const KeyFormat& format, const Place& place) {
  if (key.empty()) {
    throw InputFault(place, "the key is empty; remove the line, or allow empty keys",
                     "allow_empty");
  }
  throw InputFault(
      place,
      "the key is longer than the limit of " + std::to_string(format.max_key_bytes) + " bytes",
      format.max_key_bytes < kMaxKeyBytes ? "max_key_bytes" : "");
}

}  // namespace crivo::input
