// SPDX-License-Identifier: Apache-2.0
/// How a file of keys is written (formats/parts.md).
#pragma once

#include "base/sink.hpp"
#include "builds/universe_input.hpp"
#include "records/record_batch.hpp"
#include "shards/key_directory.hpp"

namespace crivo::index {

/// Writes the keys in pieces, and fills in the table and the keys of each group, if there are any.
void write_keys(const input::KeySet& set, KeyTable& table, exact::GroupTable* groups,
                const base::BuildContext& context, base::Sink& sink);

/// Writes the records in the order of the keys, and fills in the table.
void write_records(const records::RecordSource& source, records::Duplicates duplicates,
                   KeyTable& table, const base::BuildContext& context, base::Sink& sink);

}  // namespace crivo::index
