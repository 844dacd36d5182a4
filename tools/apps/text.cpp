// SPDX-License-Identifier: Apache-2.0
#include "apps/text.hpp"

#include <clocale>
#include <cwctype>

#include "crivo/error.hpp"

namespace crivo::apps {
namespace {

constexpr bool is_ascii_upper(char32_t code) noexcept {
  return code >= U'A' && code <= U'Z';
}
constexpr bool is_ascii_lower(char32_t code) noexcept {
  return code >= U'a' && code <= U'z';
}

locale_t unicode() {
  static const locale_t kLocale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (kLocale == nullptr) throw Error(ErrorKind::io, "this system has no locale C.UTF-8");
  return kLocale;
}

std::wint_t wide(char32_t code) noexcept {
  return static_cast<std::wint_t>(code);
}

}  // namespace

Character decode(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::uint8_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {kInvalid, 1};
  char32_t code = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {kInvalid, 1};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (overlong || surrogate || code > 0x10ffff) return {kInvalid, 1};
  return {code, bytes};
}

void append(std::string& text, char32_t code) {
  char bytes[4];
  text.append(bytes, put_utf8(code, bytes));
}

bool is_letter(char32_t code) {
  if (code < 0x80) return is_ascii_upper(code) || is_ascii_lower(code);
  return code != kInvalid && ::iswalpha_l(wide(code), unicode()) != 0;
}

char32_t lower(char32_t code) {
  if (code < 0x80) return is_ascii_upper(code) ? code + (U'a' - U'A') : code;
  return static_cast<char32_t>(::towlower_l(wide(code), unicode()));
}

char32_t upper(char32_t code) {
  if (code < 0x80) return is_ascii_lower(code) ? code - (U'a' - U'A') : code;
  return static_cast<char32_t>(::towupper_l(wide(code), unicode()));
}

std::string lower(std::string_view text) {
  std::string lowered;
  while (!text.empty()) {
    const Character character = decode(text);
    if (character.code == kInvalid) {
      lowered += text.front();
    } else {
      append(lowered, lower(character.code));
    }
    text.remove_prefix(character.bytes);
  }
  return lowered;
}

}  // namespace crivo::apps
