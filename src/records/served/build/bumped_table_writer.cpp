// SPDX-License-Identifier: Apache-2.0
#include "records/served/build/bumped_table_writer.hpp"

#include <bit>
#include <utility>

#include "base/spool.hpp"
#include "crivo/build/keys.hpp"
#include "records/block.hpp"

namespace crivo::records {

// A rank stands for the first half of a hash, and where the record begins for the other.
BumpedTableWriter::BumpedTableWriter(std::uint64_t n, std::uint64_t expected,
                                     base::Scratch* scratch)
    : n_(n),
      shift_(static_cast<unsigned>(std::countl_zero(n | 1))),
      scratch_(scratch),
      sorted_(expected, scratch) {}

void BumpedTableWriter::add(const BumpedTable::Place& bumped_key) {
  sorted_.writer(0).add({{bumped_key.rank << shift_, bumped_key.begin},
                         std::uint64_t{bumped_key.part} << 32 | bumped_key.check});
}

void BumpedTableWriter::finish(std::uint64_t part_ranks, const base::BuildContext& context,
                               base::Sink& sink) {
  sorted_.finish().keep_repeats();  // of damaged parts
  base::Progress silent;
  BumpedRanks::Writer ranks(n_, scratch_);
  base::Spool begins(scratch_);
  base::Spool parts(scratch_);
  base::Spool checks(scratch_);
  sorted_.keys().for_each_partition(
      sorted_.partition_bits(), {}, {1, silent, context.scratch},
      [&](std::uint64_t, const stream::KeySlice& some) {  // one at a time
        base::FieldWriter own_begins;
        base::FieldWriter own_parts;
        base::FieldWriter own_checks;
        for (std::size_t i = 0; i < some.size(); ++i) {
          ranks.add(some.hashes[i].hi >> shift_);
          own_begins.u64(some.hashes[i].lo);
          own_parts.u32(static_cast<std::uint32_t>(some.values[i] >> 32));
          own_checks.u32(static_cast<std::uint32_t>(some.values[i]));
        }
        begins.append(own_begins.view());
        parts.append(own_parts.view());
        checks.append(own_checks.view());
        return 0;
      },
      [](std::uint64_t, int) {});
  sink.append(base::FieldWriter().u64(n_).u64(ranks.count()).u64(part_ranks).view());
  ranks.finish(sink);
  for (const base::Spool* const spool : {&begins, &parts, &checks})
    spool->for_each([&](base::ByteView some) { sink.append(some); });
}

}  // namespace crivo::records
