// SPDX-License-Identifier: Apache-2.0
/// The inputs of maps and of indexes of rows, as building and verifying these share them.
#pragma once

#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "build/memory_need.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/build/options.hpp"
#include "crivo/progress.hpp"
#include "file/metadata.hpp"
#include "input/hash_keys.hpp"
#include "input/row_files.hpp"

namespace crivo::index {

/// Has `use` work on the keys of a map's input with their values. Throws Error(bad_input) for a
/// value that has more bits than the options allow.
void hash_map_input(const KeyInput& input, const MapOptions& map, const input::HashOptions& options,
                    const base::BuildContext& context, const input::UseKeys& use);

/// The files that the options know, if any, from columns as those of the keys are. Throws what
/// input::read_row_groups() does; `apart` is that of input::RowFiles.
std::shared_ptr<input::RowFiles> row_files_of(const RowsOptions& rows, const KeyFormat& format,
                                              Progress& progress, bool apart = false);

/// The section of files that they were read into.
base::Bytes encode_files(const input::RowFiles& files);

/// The input of rows, whose NULL keys are left out, and whose keys are numbers if they are to be.
/// Throws Error(usage) for keys that cannot be.
KeyInput rows_input(const KeyInput& input, const RowsOptions& rows);

/// Takes over what the metadata of a file say of its keys: RowsOptions::null_text and fixed.
void take_key_choices(const file::Metadata& metadata, RowsOptions& rows);

/// Throws Error(usage) for options that are unsound together.
void check_rows_options(const RowsOptions& rows);

/// The map of an index of rows whose numbers have so many bits: from a key to that of its row.
MapOptions map_of_rows(const RowsOptions& rows, unsigned width);

/// The need of an index of rows, whose map is `map` unless keys have several rows.
MemoryNeed rows_memory(const RowsOptions& rows, const MapOptions& map, bool ignore_duplicates);

}  // namespace crivo::index
