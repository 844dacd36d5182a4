// SPDX-License-Identifier: Apache-2.0
/// Fingerprints: what filters make of the first half of a key's hash. Not an interface.
#pragma once

#include <cstdint>

#include "crivo/detail/hash128.hpp"

namespace crivo::detail {

/// An odd number without a pattern. Of its product with a key's first half a ribbon takes the lower
/// 64 bits as a row, and fingerprints are the bits above.
inline constexpr std::uint64_t kRowFactor = 0xd1342543de82ef95U;

/// The value, of which the lowest 1 to 32 bits count, that a filter gives the keys of the set. No
/// linear function over GF(2) of the row.
constexpr std::uint32_t fingerprint(std::uint64_t hi) noexcept {
  return static_cast<std::uint32_t>((Product128{hi} * kRowFactor) >> 64);
}

}  // namespace crivo::detail
