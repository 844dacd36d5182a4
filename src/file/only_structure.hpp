// SPDX-License-Identifier: Apache-2.0
/// Which structure a file holds.
#pragma once

#include <algorithm>
#include <ranges>

#include "file/container.hpp"

namespace crivo::file {

/// The row of `rows`, which name a `section_type` each, whose section the container holds; null if
/// it holds none of them. Of rows with one type, the first. Throws Error(corrupt) for a container
/// that holds sections of two of these types: nothing says which of them answers
/// (formats/crivo-1.md). Two of one type have other tags, which the kind allows.
template <std::ranges::forward_range Rows>
const std::ranges::range_value_t<Rows>* only_structure(const Container& container,
                                                       const Rows& rows) {
  const std::ranges::range_value_t<Rows>* found = nullptr;
  for (const SectionEntry& section : container.sections()) {
    const auto row =
        std::ranges::find(rows, section.type, [](const auto& some) { return some.section_type; });
    if (row == std::ranges::end(rows)) continue;
    if (found == &*row) continue;  // one more layer
    if (found != nullptr) container.fail("damaged: it holds two structures that would answer");
    found = &*row;
  }
  return found;
}

}  // namespace crivo::file
