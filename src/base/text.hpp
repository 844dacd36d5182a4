// SPDX-License-Identifier: Apache-2.0
/// Texts without the white space around them, as numbers, as hexadecimal digits, and compared.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

namespace crivo::base {

inline constexpr std::string_view kWhiteSpace = " \t\r\n";

/// Returns what is left of `text` without white space at either end.
constexpr std::string_view trimmed(std::string_view text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(kWhiteSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kWhiteSpace) + 1);
}

/// The number that all of a text is, in decimal digits; nothing for other texts and for numbers
/// that `Number` does not hold.
template <typename Number>
std::optional<Number> number_in(std::string_view text) noexcept {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

/// The number from 0 to 15 that a hexadecimal digit of either case writes; -1 for what is none.
constexpr int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The place of the lowest byte in memory that is not zero, in a word that is not.
inline std::size_t first_byte(std::uint64_t word) noexcept {
  const int zeros =
      std::endian::native == std::endian::little ? std::countr_zero(word) : std::countl_zero(word);
  return static_cast<std::size_t>(zeros) / 8;
}

/// How many bytes `a` and `b` begin with that are the same.
inline std::size_t shared_bytes(std::string_view a, std::string_view b) noexcept {
  const std::size_t least = std::min(a.size(), b.size());
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= least; at += sizeof(std::uint64_t)) {
    std::uint64_t one;
    std::uint64_t other;
    std::memcpy(&one, a.data() + at, sizeof one);
    std::memcpy(&other, b.data() + at, sizeof other);
    if (one != other) return at + first_byte(one ^ other);
  }
  while (at < least && a[at] == b[at]) ++at;
  return at;
}

}  // namespace crivo::base
