// SPDX-License-Identifier: Apache-2.0
/// Numbers with their highest byte first, as formats of others have them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/bytes.hpp"

namespace crivo::base {

/// A number with its bytes the other way round.
template <typename Int>
constexpr Int reversed(Int value) noexcept {
  static_assert(std::is_unsigned_v<Int>);
  if constexpr (sizeof value == 8) {
    return __builtin_bswap64(value);
  } else if constexpr (sizeof value == 4) {
    return __builtin_bswap32(value);
  } else {
    static_assert(sizeof value == 2);
    return __builtin_bswap16(value);
  }
}
/// load_le() and store_le() with the highest byte first.
template <typename Int>
inline Int load_be(const void* p) noexcept {
  return reversed(load_le<Int>(p));
}
template <typename Int>
inline void store_be(void* p, Int value) noexcept {
  store_le(p, reversed(value));
}

}  // namespace crivo::base
