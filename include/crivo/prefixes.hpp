// SPDX-License-Identifier: Apache-2.0
/// Prefixes of a key at a delimiter, by which a filter tells whether anything lies under a path:
/// those of a/b/c with the delimiter '/' are a and a/b.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "crivo/export.hpp"
#include "crivo/suffixes.hpp"

namespace crivo {

/// Calls visit(prefix) for what stands before each delimiter in `key`, the shortest first, unless
/// that is empty: what FilterOptions::prefixes adds beside the key. Those that end within its first
/// `known` bytes are left out.
template <typename Visit>
void for_each_prefix(std::string_view key, char delimiter, std::size_t known, Visit&& visit) {
  for (std::size_t at = key.find(delimiter, known == 0 ? 1 : known); at != std::string_view::npos;
       at = key.find(delimiter, at + 1)) {
    visit(key.substr(0, at));
  }
}

/// What a filter with such prefixes is asked, to tell whether it holds `text` or a key that begins
/// with it and a delimiter: the text, without the delimiter at its end if it has one and that is
/// not all.
constexpr std::string_view without_delimiter(std::string_view text, char delimiter) noexcept {
  if (text.size() > 1 && text.back() == delimiter) text.remove_suffix(1);
  return text;
}

/// The name in the metadata of a file that has prefixes of its keys, under which their delimiter
/// is.
inline constexpr std::string_view kPrefixesName = "crivo.prefixes";

/// FilterOptions::prefixes of the filter with this metadata; nothing if it has none.
inline std::optional<char> recorded_prefixes(
    const std::map<std::string, std::string, std::less<>>& metadata) {
  const auto found = metadata.find(kPrefixesName);
  if (found == metadata.end() || found->second.size() != 1) return std::nullopt;
  return found->second.front();
}

}  // namespace crivo
