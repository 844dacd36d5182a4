// SPDX-License-Identifier: Apache-2.0
/// Characters of UTF-8 text, for the programs that look at words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace crivo::apps {

struct Character {
  char32_t code = 0;       ///< kInvalid for a byte that is no part of UTF-8
  std::uint8_t bytes = 0;  ///< that it takes in the text, 1 to 4
};

inline constexpr char32_t kInvalid = 0xffffffff;

/// The first character of `text`, which is not empty. Overlong forms, surrogates and what is beyond
/// U+10FFFF are invalid, one byte at a time.
Character decode(std::string_view text) noexcept;

/// Writes a character that decode() gave.
void append(std::string& text, char32_t code);

/// Letters of any script and their cases, as glibc's C.UTF-8 locale has them. Throw Error(io) where
/// a system has no such locale and the character is not ASCII.
bool is_letter(char32_t code);
char32_t lower(char32_t code);
char32_t upper(char32_t code);

/// `text` with every letter in lower case; what is not UTF-8 stays as it is.
std::string lower(std::string_view text);

}  // namespace crivo::apps
