// SPDX-License-Identifier: Apache-2.0
/// The inputs of maps and of indexes of rows, as building and verifying these share them.
#pragma once

#include <memory>
#include <string>

#include "build/memory_need.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/build/options.hpp"
#include "crivo/progress.hpp"
#include "input/hash_keys.hpp"
#include "input/row_files.hpp"

namespace crivo::index {

/// Has `use` work on the keys of a map's input with their values. Throws Error(bad_input) for a
/// value that has more bits than the options allow.
void hash_map_input(const KeyInput& input, const MapOptions& map, const input::HashOptions& options,
                    const base::BuildContext& context, const input::UseKeys& use);

/// The files that the options know, if any, from columns as those of the keys are. Throws what
/// input::read_row_groups() does.
std::shared_ptr<input::RowFiles> row_files_of(const RowsOptions& rows, const KeyFormat& format,
                                              Progress& progress);

/// The input of rows, whose NULL keys are left out.
KeyInput rows_input(const KeyInput& input, const std::string& null_text);

/// Throws Error(usage) for options that are unsound together.
void check_rows_options(const RowsOptions& rows);

/// The map of an index of so many rows: from a key to the number of its row.
MapOptions map_of_rows(const RowsOptions& rows, std::uint64_t count);

/// The need of an index of rows, whose map is `map` unless keys have several rows.
MemoryNeed rows_memory(const RowsOptions& rows, const MapOptions& map, bool ignore_duplicates);

}  // namespace crivo::index
