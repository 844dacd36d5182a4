// SPDX-License-Identifier: Apache-2.0
/// The bits of a key's hash that a slot of a flat store has, and a part of any store.
#pragma once

#include <cstdint>

namespace crivo::records {

/// The fingerprint in the first half of a hash.
constexpr std::uint16_t fingerprint_of(std::uint64_t half) noexcept {
  return static_cast<std::uint16_t>(half);
}

}  // namespace crivo::records
