// SPDX-License-Identifier: Apache-2.0
/// Numbers in texts.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace crivo::base {

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

}  // namespace crivo::base
