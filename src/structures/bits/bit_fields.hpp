// SPDX-License-Identifier: Apache-2.0
/// Fields of any number of bits, packed one after another, lowest bits first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace crivo::bits {

/// Holds any field, and the bits before it in its first byte.
__extension__ using BitsWord = unsigned __int128;

/// Fields must be followed by so many bytes, since these functions touch 16 bytes from a field's
/// first on.
inline constexpr std::uint64_t kFieldPadding = 16;

/// The bits from bit `bit` of `data` on: at least 121 of them.
inline BitsWord load_bits(const std::byte* data, std::uint64_t bit) noexcept {
  const std::byte* at = data + bit / 8;
  const BitsWord high = base::load_le<std::uint64_t>(at + 8);
  return (high << 64 | base::load_le<std::uint64_t>(at)) >> (bit % 8);
}

/// Takes packed fields of `count` bits in all, with the zero bits up to a byte and the
/// kFieldPadding zero bytes that follow them. Throws Error(corrupt) as the reader does.
inline base::ByteView take_fields(base::FieldReader& reader, std::uint64_t count) {
  const unsigned used = count % 8;  // of the last byte's bits
  const base::ByteView fields = reader.take(count / 8 + (used == 0 ? 0 : 1));
  if (used != 0 && (fields.back() >> used) != std::byte{0}) {
    reader.fail("holds a nonzero bit after its last field");
  }
  reader.zeros(kFieldPadding);
  return fields;
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
