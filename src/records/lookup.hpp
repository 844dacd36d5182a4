// SPDX-License-Identifier: Apache-2.0
/// The answer to a lookup of a record.
#pragma once

#include <cstdint>
#include <string_view>

namespace crivo::records {

enum class Outcome {
  found,
  absent,   ///< the rank's record has another key (or there is no such rank)
  damaged,  ///< the record cannot be read: a checksum does not fit
};

struct Lookup {
  Outcome outcome = Outcome::absent;
  std::string_view record;  ///< if found; until the reader's next call, or its end
};

}  // namespace crivo::records
