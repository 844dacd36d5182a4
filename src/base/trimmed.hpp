// SPDX-License-Identifier: Apache-2.0
/// Texts without the white space around them.
#pragma once

#include <algorithm>
#include <string_view>

namespace crivo::base {

inline constexpr std::string_view kWhiteSpace = " \t\r\n";

/// Returns what is left of `text` without white space at either end.
constexpr std::string_view trimmed(std::string_view text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(kWhiteSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kWhiteSpace) + 1);
}

}  // namespace crivo::base
