// SPDX-License-Identifier: Apache-2.0
/// Fields of any number of bits, packed one after another, lowest bits first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace crivo::bits {

/// Holds any field, and the bits before it in its first byte.
__extension__ using BitsWord = unsigned __int128;

/// What fields must be followed by, since these functions touch 16 bytes from a field's first on.
inline constexpr std::uint64_t kFieldPadding = 16;

/// The bits from bit `bit` of `data` on: at least 121 of them.
inline BitsWord load_bits(const std::byte* data, std::uint64_t bit) noexcept {
  const std::byte* at = data + bit / 8;
  const BitsWord high = base::load_le<std::uint64_t>(at + 8);
  return (high << 64 | base::load_le<std::uint64_t>(at)) >> (bit % 8);
}

/// Replaces the `size` (1 to 128) bits from bit `bit` of `data` on, which end within 128 of the
/// start of their first byte, with `value`.
inline void store_bits(std::byte* data, std::uint64_t bit, unsigned size, BitsWord value) noexcept {
  const unsigned shift = bit % 8;
  const BitsWord mask = ~BitsWord{0} >> (128 - size) << shift;
  std::byte* at = data + bit / 8;
  const BitsWord high = base::load_le<std::uint64_t>(at + 8);
  const BitsWord old = high << 64 | base::load_le<std::uint64_t>(at);
  const BitsWord word = (old & ~mask) | value << shift;
  base::store_le(at, static_cast<std::uint64_t>(word));
  base::store_le(at + 8, static_cast<std::uint64_t>(word >> 64));
}

}  // namespace crivo::bits
