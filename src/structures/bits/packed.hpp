// SPDX-License-Identifier: Apache-2.0
/// Arrays of integers of a few bits each, packed without gaps from the low bits of each byte.
#pragma once

#include <cstdint>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"

namespace crivo::bits {

/// The bytes of a packed array of `bits` bits in all: it ends with at least seven zero bytes, up to
/// a multiple of 8, so that a 64-bit load at any of its bytes stays inside.
constexpr std::uint64_t padded_bytes(std::uint64_t bits) noexcept {
  return base::align_up(base::div_ceil(bits, 8) + 7, 8);
}

/// The `width` (0 to 56) bits from bit `place` of a padded array on.
inline std::uint64_t load_bits(const std::byte* array, std::uint64_t place,
                               unsigned width) noexcept {
  const std::uint64_t word = base::load_le<std::uint64_t>(array + place / 8) >> (place % 8);
  return word & ((std::uint64_t{1} << width) - 1);
}

/// Fills an array in order.
class PackedWriter {
 public:
  explicit PackedWriter(std::byte* at) noexcept : at_(at) {}

  /// Appends `value`, which has at most `width` (0 to 56) bits.
  void put(std::uint64_t value, unsigned width) noexcept {
    pending_ |= value << pending_bits_;
    pending_bits_ += width;
    for (; pending_bits_ >= 8; pending_bits_ -= 8, pending_ >>= 8)
      *at_++ = static_cast<std::byte>(pending_);
  }
  /// Writes the last byte, if it is not full.
  void finish() noexcept {
    if (pending_bits_ != 0) *at_++ = static_cast<std::byte>(pending_);
  }

 private:
  std::byte* at_;
  std::uint64_t pending_ = 0;
  unsigned pending_bits_ = 0;
};

}  // namespace crivo::bits
