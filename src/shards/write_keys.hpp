// SPDX-License-Identifier: Apache-2.0
/// How a file of keys is written (formats/parts.md), and which options a partition may have.
#pragma once

#include <string>

#include "base/sink.hpp"
#include "build/universe_input.hpp"
#include "crivo/build/shards.hpp"
#include "lookup/key_hash.hpp"
#include "records/build/record_batch.hpp"
#include "shards/key_directory.hpp"

namespace crivo::index {

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
