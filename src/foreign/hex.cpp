// SPDX-License-Identifier: Apache-2.0
#include "foreign/hex.hpp"

namespace crivo::foreign {
namespace {

/// 16 for what is no digit.
unsigned digit_of(char c) noexcept {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10) : 16;
}

}  // namespace

bool append_hex(std::string_view digits, base::Bytes& to) {
  if (digits.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const unsigned high = digit_of(digits[i]);
    const unsigned low = digit_of(digits[i + 1]);
    if (high > 15 || low > 15) return false;
    to.push_back(static_cast<std::byte>(high << 4 | low));
  }
  return true;
}

}  // namespace crivo::foreign
