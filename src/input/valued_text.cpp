// SPDX-License-Identifier: Apache-2.0
#include "input/valued_text.hpp"

#include "crivo/error.hpp"

namespace crivo::input {
namespace {

constexpr char kNul = '\0';
constexpr char kBehindNul = '\xff';
constexpr std::size_t kNumbers = 2;  // place and value
constexpr std::size_t kNumberBytes = sizeof(std::uint64_t);

void put(std::uint64_t number, std::string& to) {
  for (unsigned shift = 64; shift != 0;) to += static_cast<char>(number >> (shift -= 8));
}

std::uint64_t number_at(std::string_view bytes) noexcept {
  std::uint64_t number = 0;
  for (const char byte : bytes.substr(0, kNumberBytes))
    number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

[[noreturn]] void fail() {
  throw Error(ErrorKind::corrupt, "a temporary file of keys and values is damaged");
}

}  // namespace

void begin_text(std::string_view key, std::string& to) {
  to.clear();
  for (std::size_t nul = key.find(kNul); nul != key.npos; nul = key.find(kNul)) {
    to.append(key.substr(0, nul + 1));
    to += kBehindNul;
    key.remove_prefix(nul + 1);
  }
  to.append(key);
  to.append(2, kNul);
}

std::string_view read_begun_text(std::string_view text, std::string& key) {
  key.clear();
  while (true) {
    const std::size_t nul = text.find(kNul);
    if (nul == text.npos || nul + 1 == text.size()) fail();
    key.append(text.substr(0, nul));
    const char behind = text[nul + 1];
    text.remove_prefix(nul + 2);
    if (behind == kNul) return text;
    if (behind != kBehindNul) fail();
    key += kNul;
  }
}

void write_valued_text(std::string_view key, const TextValue& value, std::string& to) {
  begin_text(key, to);
  put(value.place, to);
  put(value.value, to);
}

TextValue read_valued_text(std::string_view text, std::string& key) {
  text = read_begun_text(text, key);
  if (text.size() != kNumbers * kNumberBytes) fail();
  return {.value = number_at(text.substr(kNumberBytes)), .place = number_at(text)};
}

std::uint64_t TextRecord::value_of(std::string_view record) {
  if (record.size() != sizeof(std::uint64_t))
    throw Error(ErrorKind::corrupt, "damaged: a key that was kept has no value");
  return base::load_le<std::uint64_t>(record.data());
}

}  // namespace crivo::input
