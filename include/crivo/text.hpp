// SPDX-License-Identifier: Apache-2.0
/// Bytes from outside, as a person can read them in a message or on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "crivo/export.hpp"

namespace crivo {

/// `bytes` on one line and without a command to the terminal: control characters (of Unicode, so
/// those of C1 too) and bytes that are not UTF-8 become `x` and two hexadecimal digits behind a
/// backslash. All else passes as it is.
CRIVO_API std::string escape(std::string_view bytes);

/// The same in double quotes, with quotes and backslashes escaped; what is longer than 200 bytes is
/// cut short with its full length told.
CRIVO_API std::string quote(std::string_view bytes);

/// The bytes, 1 to 4, of the character of UTF-8 that `bytes` begin with; 0 if they begin with none.
/// UTF-8 as Unicode has it: no overlong forms, no surrogates, nothing above U+10FFFF.
CRIVO_API std::size_t utf8_length(std::string_view bytes) noexcept;

/// Writes character `code`, which is at most U+10FFFF, in UTF-8: 1 to 4 bytes from `to` on. Returns
/// where they end.
constexpr char* put_utf8(char32_t code, char* to) noexcept {
  const auto put = [&](char32_t byte) { *to++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
    return to;
  }
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12);
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
    }
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
  return to;
}

/// Whether `bytes` are such characters through and through. O(bytes).
CRIVO_API bool is_utf8(std::string_view bytes) noexcept;

}  // namespace crivo
