// SPDX-License-Identifier: Apache-2.0
/// How a file of keys is written (formats/parts.md), and which options a partition may have.
///
/// By what a partition, and the file of one of its tasks, are known again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/sink.hpp"
#include "build/build_frame.hpp"
#include "build/map_input.hpp"
#include "build/universe_input.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/build/shards.hpp"
#include "file/content_id.hpp"
#include "lookup/key_hash.hpp"
#include "records/build/record_batch.hpp"
#include "shards/key_directory.hpp"

namespace crivo::index {

/// An input file as it stands there; nothing for one that is no regular file.
using Stamp = std::optional<input::InputStamp>;

/// The partition is known by this: the whole input's names and sizes, and all that was chosen, with
/// the files of `rows` before any is read; null where keys have none.
file::ContentId plan_id(const KeyInput& input, const std::vector<Stamp>& stamps,
                        const PartitionOptions& partition, const BuildOptions& options,
                        const input::RowFiles* rows);

/// The state of a task's files, and what it has of them; zero where it cannot be told, as of keys
/// in memory.
file::ContentId input_id(const KeyInput& input, const std::vector<Stamp>& stamps,
                         const std::optional<input::InputPart>& part);

/// Writes the keys in pieces, and with `grouped` how many each group has; fills in the table.
void write_sections(const input::KeySet& set, bool grouped, KeyTable& table,
                    const base::BuildContext& context, file::ContainerWriter& writer);

/// Writes the records in the order of the keys, and fills in the table.
void write_records(const records::RecordSource& source, records::Duplicates duplicates,
                   KeyTable& table, const base::BuildContext& context, base::Sink& sink);

/// The key hash of PartitionOptions::hash. Throws Error(usage), which lists the names.
hashing::KeyHashId named_hash(const std::string& name);

/// Throws Error(usage) for options that do not go together, or with the input.
void check_partition(const KeyInput& input, const PartitionOptions& partition);

}  // namespace crivo::index
