// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "crivo/error.hpp"
#include "crivo/progress.hpp"

namespace crivo {
namespace {

/// The leads of one length, and where the byte after them may lie; all later bytes are 80 to bf
/// (The Unicode Standard 15.0, table 3-7).
struct Form {
  unsigned char first_lead;
  unsigned char last_lead;
  unsigned char least_second;
  unsigned char greatest_second;
  std::size_t length;
};

constexpr Form kForms[] = {
    {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};

}  // namespace

std::size_t utf8_length(std::string_view bytes) noexcept {
  if (bytes.empty()) return 0;
  const auto byte = [bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const auto* const form = std::ranges::find_if(kForms, [&](const Form& candidate) {
    return byte(0) >= candidate.first_lead && byte(0) <= candidate.last_lead;
  });
  if (form == std::end(kForms) || bytes.size() < form->length) return 0;
  if (form->length == 1) return 1;
  if (byte(1) < form->least_second || byte(1) > form->greatest_second) return 0;
  for (std::size_t i = 2; i < form->length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return form->length;
}

bool is_utf8(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

namespace {

/// Whether a character beyond ASCII is a mark of U+2000 to U+206F, which its last two bytes tell.
bool is_mark(unsigned second, unsigned third) noexcept {
  if (second == 0x80)  // U+200E, U+200F, U+2028 to U+202E
    return third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae);
  return second == 0x81 && third >= 0xa6 && third <= 0xa9;  // U+2066 to U+2069
}

/// Whether it commands a terminal, ends a line, or turns the direction of what stands around it.
bool is_control(std::string_view character) noexcept {
  const auto byte = [character](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
  if (character.size() == 2)  // U+0080 to U+009F; U+061C
    return (byte(0) == 0xc2 && byte(1) < 0xa0) || (byte(0) == 0xd8 && byte(1) == 0x9c);
  return character.size() == 3 && byte(0) == 0xe2 && is_mark(byte(1), byte(2));
}

/// Appends the character, or the byte of none, that `bytes` begin with; returns its length.
std::size_t append_escaped(std::string& text, std::string_view bytes) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  const std::size_t length = utf8_length(bytes);
  const std::string_view taken = bytes.substr(0, std::max<std::size_t>(length, 1));
  if (length != 0 && !is_control(taken)) {
    text += taken;
    return taken.size();
  }
  for (const char c : taken) {
    const auto byte = static_cast<unsigned char>(c);
    text += "\\x";
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return taken.size();
}

}  // namespace

std::string escape(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) bytes.remove_prefix(append_escaped(text, bytes));
  return text;
}

std::string quote(std::string_view bytes) {
  constexpr std::size_t kShown = 200;
  std::string text = "\"";
  std::size_t at = 0;
  while (at < std::min(kShown, bytes.size())) {
    if (bytes[at] == '"' || bytes[at] == '\\') text += '\\';
    at += append_escaped(text, bytes.substr(at));
  }
  text += '"';
  if (at < bytes.size()) text += "... (" + std::to_string(bytes.size()) + " bytes)";
  return text;
}

void Progress::fail_cancelled() {
  throw Error(ErrorKind::cancelled, "cancelled");
}

}  // namespace crivo
