// SPDX-License-Identifier: Apache-2.0
/// The entry for a record behind a text by which it is sorted: the record, or where a spool has it.
/// For each record that is joined: varint twice its length; its bytes; or varint twice its length
/// and 1, u64 the place and u64 the check of RecordEntry::Place.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "records/build/record_spool.hpp"

namespace crivo::records {

/// Appends the record of an entry of `spool`: the long ones stay there. Whether one did.
bool append_record_text(const RecordSpool& spool, const RecordEntry& entry, std::string& to);

/// The record: where it stands in `text`, or put together in place of what was in `room`. Throws
/// Error(corrupt) for what is no such text, Error(io).
std::string_view read_record_text(const RecordSpool* spool, std::string_view text,
                                  base::Bytes& room);

}  // namespace crivo::records
