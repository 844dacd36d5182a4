// SPDX-License-Identifier: Apache-2.0
/// Takes a chunk apart into its keys with the rows that they are in.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "input/row_files.hpp"
#include "input/units.hpp"

namespace crivo::input {

/// Calls visit(key, place, index, offset) for each key of a chunk, in order, with the place of its
/// row in `files`: of lines key TAB file TAB row, or of the columns or members that the format
/// names.
template <typename Visit>
void for_each_row(const Chunk& chunk, const KeyFormat& format, RowFiles& files, Visit&& visit) {
  RowFiles::Reader reader(files);
  std::uint64_t nulls = 0;
  for_each_record(
      chunk, format,
      [&](std::string_view key, std::string_view row, std::uint64_t index, std::size_t offset) {
        visit(key, reader.place_of(row, place_in(chunk, index, offset)), index, offset);
      },
      "row", &nulls);
  files.add_nulls(nulls);
}

}  // namespace crivo::input
