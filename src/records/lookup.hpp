// SPDX-License-Identifier: Apache-2.0
/// The answer to a lookup of a record.
///
/// The bits of a key's hash that a slot of a flat store has, and a part of any store.
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

/// The fingerprint in the first half of a hash.
constexpr std::uint16_t fingerprint_of(std::uint64_t half) noexcept {
  return static_cast<std::uint16_t>(half);
}

}  // namespace crivo::records
