// SPDX-License-Identifier: Apache-2.0
/// Registries: arrays of rows with a `name` each, among which a user chooses.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/error.hpp"

namespace crivo::base {

inline constexpr auto kEveryRow = [](const auto&) { return true; };

/// The names of the rows that `kIsNamed` holds for, in their order.
template <const auto& kRows, auto kIsNamed = kEveryRow>
consteval auto names_of() {
  std::array<std::string_view, std::ranges::count_if(kRows, kIsNamed)> names;
  auto* next = names.data();
  for (const auto& row : kRows) {
    if (kIsNamed(row)) *next++ = row.name;
  }
  return names;
}

/// Throws Error(usage): "unknown <what> '<name>'; use one of: <names>".
[[noreturn]] inline void refuse_name(std::string_view what, std::string_view name,
                                     std::span<const std::string_view> names) {
  std::string list;
  for (const std::string_view known : names) {
    list += (list.empty() ? "" : ", ") + std::string(known);
  }
  throw Error(ErrorKind::usage,
              "unknown " + std::string(what) + " '" + std::string(name) + "'; use one of: " + list);
}

/// The first row of that name; throws Error(usage), which lists the names, if there is none.
template <typename Rows>
const auto& find_named(const Rows& rows, std::string_view what, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  refuse_name(what, name, names);
}

}  // namespace crivo::base
