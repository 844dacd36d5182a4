// SPDX-License-Identifier: Apache-2.0
/// What a slot of a flat store, and a part of any, has of a key's hash.
#pragma once

#include <cstdint>

namespace crivo::records {

/// The fingerprint in the first half of a hash.
constexpr std::uint16_t fingerprint_of(std::uint64_t half) noexcept {
  return static_cast<std::uint16_t>(half);
}

}  // namespace crivo::records
