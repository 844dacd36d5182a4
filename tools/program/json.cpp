// SPDX-License-Identifier: Apache-2.0
#include "program/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "crivo/error.hpp"

namespace crivo::cli {
namespace {

/// A quote, a backslash, or a character below U+10000 that escape() lets none through.
std::string escaped(std::string_view character) {
  static constexpr std::string_view kNamed = "\"\\\b\f\n\r\t";
  static constexpr std::string_view kNames = "\"\\bfnrt";
  if (const std::size_t i = kNamed.find(character); i != std::string_view::npos)
    return {'\\', kNames[i]};
  static constexpr std::string_view kDigits = "0123456789abcdef";
  static constexpr std::array<unsigned, 3> kFirstBits{0x7f, 0x1f, 0x0f};
  unsigned code = static_cast<unsigned char>(character.front()) & kFirstBits[character.size() - 1];
  for (const char c : character.substr(1))
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3f);
  std::string text = "\\u";
  for (const int shift : {12, 8, 4, 0}) text += kDigits[code >> shift & 15];
  return text;
}

std::string string_text(std::string_view bytes) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string text = "\"";
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    const std::string_view character = bytes.substr(0, length);
    if (length == 0) {
      text += kReplacement;
    } else if (character == "\"" || character == "\\" || escape(character) != character) {
      text += escaped(character);
    } else {
      text += character;
    }
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text + '"';
}

/// As short as tells it from others, and never to be taken for a whole number; JSON has no
/// infinities.
std::string number_text(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 32> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::string text(digits.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

Json::Json(bool value) : scalar_(value ? "true" : "false") {}

Json::Json(double value) : scalar_(number_text(value)) {}

Json::Json(std::string_view text) : scalar_(string_text(text)) {}

Json::Json(std::initializer_list<std::pair<const char*, Json>> members) : kind_(Kind::object) {
  parts_.assign(members.begin(), members.end());
}

Json Json::integer(std::string_view digits) {
  Json number;
  number.scalar_ = digits;
  return number;
}

Json Json::array() {
  return Json(Kind::array);
}

Json Json::object() {
  return Json(Kind::object);
}

Json& Json::operator[](std::string_view name) {
  kind_ = Kind::object;
  const auto found = std::ranges::find(parts_, name, &std::pair<std::string, Json>::first);
  if (found != parts_.end()) return found->second;
  return parts_.emplace_back(name, Json()).second;
}

void Json::push_back(Json element) {
  parts_.emplace_back(std::string(), std::move(element));
}

std::string Json::dump() const {
  std::string text;
  write_to(text);
  return text;
}

void Json::write_to(std::string& text) const {
  if (kind_ == Kind::scalar) {
    text += scalar_;
    return;
  }
  const bool named = kind_ == Kind::object;
  text += named ? '{' : '[';
  for (const auto& [name, value] : parts_) {
    if (&value != &parts_.front().second) text += ',';
    if (named) text += string_text(name) + ':';
    value.write_to(text);
  }
  text += named ? '}' : ']';
}

}  // namespace crivo::cli
