// SPDX-License-Identifier: Apache-2.0
/// Suffixes of a key at the borders of its labels, by which a list of domains answers for the hosts
/// below them: those of a.example.com with the delimiter '.' are itself, example.com and com.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "crivo/export.hpp"

namespace crivo {

/// The suffixes of a key, or its prefixes, have so many bytes together at most where a file is
/// asked for all of them or they are built: a key of delimiters alone would have 2^39.
inline constexpr std::size_t kMostBorderBytes = std::size_t{16} << 20;

/// The longest suffix of `key` that `found` is true of: the key itself is asked for first, then
/// what stands behind each delimiter in it, unless that is empty. Nothing if it is true of none.
///
///     auto suffix = crivo::longest_suffix(host, '.', [&](std::string_view domain) {
///       return blocked.contains(domain) == crivo::ExactAnswer::member;
///     });
template <typename Found>
std::optional<std::string_view> longest_suffix(std::string_view key, char delimiter,
                                               Found&& found) {
  for (std::string_view suffix = key;;) {
    if (found(suffix)) return suffix;
    const std::size_t border = suffix.find(delimiter);
    if (border == std::string_view::npos || border + 1 == suffix.size()) return std::nullopt;
    suffix.remove_prefix(border + 1);
  }
}

}  // namespace crivo
