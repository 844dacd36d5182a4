// SPDX-License-Identifier: Apache-2.0
/// Unsigned numbers in as few bytes as they need: seven bits a byte, the lowest first, the top bit
/// set in every byte but the last (LEB128).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace crivo::base {

/// 2 v of v >= 0, -2 v - 1 of a negative one, which are in two's complement.
constexpr std::uint64_t zigzag(std::uint64_t value) noexcept {
  return value << 1 ^ (0 - (value >> 63));
}

/// The value that zigzag() made `coded` of.
constexpr std::uint64_t unzigzag(std::uint64_t coded) noexcept {
  return coded >> 1 ^ (0 - (coded & 1));
}

/// The number of bytes of `value` as a varint: 1 to 5.
constexpr std::size_t varint_size(std::uint32_t value) noexcept {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

/// Appends `value` to Bytes, or to a std::string.
template <typename To>
void append_varint(To& to, std::uint32_t value) {
  using Byte = typename To::value_type;
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<Byte>(value | 0x80));
  to.push_back(static_cast<Byte>(value));
}

/// Takes a varint off the front of `bytes`; false (and nothing promised of `bytes`) if it is cut
/// off or does not fit 32 bits.
inline bool take_varint(base::ByteView& bytes, std::uint32_t& value) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < 5 && i < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint64_t>(bytes[i]);
    sum |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      value = static_cast<std::uint32_t>(sum);
      bytes = bytes.subspan(i + 1);
      return sum <= 0xffffffffU;
    }
  }
  return false;
}

}  // namespace crivo::base
