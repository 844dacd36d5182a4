/// Fields of any number of bits, packed one after another, lowest bits first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/hash.hpp"
#include "file/bytes.hpp"

namespace crivo::filter {

using Word = detail::Product128;

/// What fields must be followed by, since these functions touch 16 bytes from a field's first on.
inline constexpr std::uint64_t kFieldPadding = 16;

/// The bits from bit `bit` of `data` on: at least 121 of them.
inline Word load_bits(const std::byte* data, std::uint64_t bit) noexcept {
  const std::byte* at = data + bit / 8;
  const Word high = file::load_le<std::uint64_t>(at + 8);
  return (high << 64 | file::load_le<std::uint64_t>(at)) >> (bit % 8);
}

/// Replaces the `size` (1 to 128) bits from bit `bit` of `data` on, which end within 128 of the
/// start of their first byte, with `value`.
inline void store_bits(std::byte* data, std::uint64_t bit, unsigned size, Word value) noexcept {
  const unsigned shift = bit % 8;
  const Word mask = ~Word{0} >> (128 - size) << shift;
  std::byte* at = data + bit / 8;
  const Word high = file::load_le<std::uint64_t>(at + 8);
  const Word old = high << 64 | file::load_le<std::uint64_t>(at);
  const Word word = (old & ~mask) | value << shift;
  file::store_le(at, static_cast<std::uint64_t>(word));
  file::store_le(at + 8, static_cast<std::uint64_t>(word >> 64));
}

}  // namespace crivo::filter
