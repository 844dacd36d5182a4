// SPDX-License-Identifier: Apache-2.0
/// Records by their hashes to the parts of a store: put in the order of their ranks, and encoded.
#pragma once

#include <cstdint>
#include <functional>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "records/build/part_body.hpp"
#include "records/build/rank_table.hpp"
#include "records/build/record_batch.hpp"
#include "records/build/record_sample.hpp"

namespace crivo::records {

/// Some consecutive ranks of a partition, and bumped keys.
struct RecordPart {
  bool begins_partition = false;  ///< it has the partition's first ranks
  PartBody body;
  base::Bytes bumped;             ///< BumpedRecords::add()
  std::uint64_t longest_raw = 0;  ///< of the units
};

/// Calls use(bumped keys) with the bumped keys of all records of the table, as RecordPart has them,
/// one call at a time: for who joins parts as they are made, and so must have them before. Throws
/// what build_record_parts() does.
void collect_bumped(const RecordCoding& coding, const RecordSource& source, Duplicates duplicates,
                    const RankTable& table, const base::BuildContext& context,
                    const std::function<void(base::ByteView bumped)>& use);

/// Calls use(part) for the parts of all partitions of the table, in order, one call at a time; what
/// is before it is done on all threads. The parts together depend on the records and the coding
/// alone, but where one ends and the next begins is as the memory is. Takes about `memory_bytes`,
/// or some times the largest record if that is more. Throws Error(bad_input) if the keys of the
/// table are not those of the records, and what `source` throws.
void build_record_parts(const RecordCoding& coding, const RecordSource& source,
                        Duplicates duplicates, const RankTable& table, std::uint64_t memory_bytes,
                        const base::BuildContext& context,
                        const std::function<void(RecordPart part)>& use);

}  // namespace crivo::records
