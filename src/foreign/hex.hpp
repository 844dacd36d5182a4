// SPDX-License-Identifier: Apache-2.0
/// Bytes as texts of hexadecimal digits, two a byte.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "base/text.hpp"

namespace crivo::foreign {

/// Appends the bytes that digits of either case write; false where they are none.
inline bool append_hex(std::string_view digits, base::Bytes& to) {
  if (digits.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = base::hex_digit(digits[i]);
    const int low = base::hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) return false;
    to.push_back(static_cast<std::byte>(high << 4 | low));
  }
  return true;
}

/// So many bytes; nothing where `digits` are no such text.
template <std::size_t kSize>
std::optional<std::array<std::byte, kSize>> bytes_of_hex(std::string_view digits) {
  base::Bytes bytes;
  std::array<std::byte, kSize> made{};
  if (digits.size() != 2 * kSize || !append_hex(digits, bytes)) return {};
  std::ranges::copy(bytes, made.begin());
  return made;
}

}  // namespace crivo::foreign
