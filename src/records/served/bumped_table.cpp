// SPDX-License-Identifier: Apache-2.0
#include "records/served/bumped_table.hpp"

#include <bit>
#include <utility>

#include "base/spool.hpp"
#include "crivo/keys.hpp"
#include "records/block.hpp"

namespace crivo::records {

BumpedTable::BumpedTable(base::ByteView section, std::uint64_t n, std::vector<base::ByteView> notes)
    : check_of_(hashing::crc32c()), notes_(std::move(notes)) {
  base::FieldReader r(section, "records of bumped keys");
  if (r.u64() != n) r.fail("their number is not that of the keys");
  const std::uint64_t count = r.u64();
  part_ranks_ = r.u64();
  if (count > n || part_ranks_ > n || n - part_ranks_ > count)
    r.fail("there are not as many as ranks");
  ranks_ = BumpedRanks(r, n, count);
  if (count > r.remaining() / (sizeof(std::uint64_t) + 2 * sizeof(std::uint32_t)))
    r.fail("there are too few");
  begins_ = r.take(count * sizeof(std::uint64_t)).data();
  parts_ = r.take(count * sizeof(std::uint32_t)).data();
  checks_ = r.take(count * sizeof(std::uint32_t)).data();
  r.expect_end();
}

bool BumpedTable::read(std::uint64_t number, std::uint64_t rank, std::string_view& key,
                       std::string_view& record) const noexcept {
  const auto begin = base::load_le<std::uint64_t>(begins_ + 8 * number);
  const auto part = base::load_le<std::uint32_t>(parts_ + 4 * number);
  if (part >= notes_.size() || begin > notes_[part].size()) return false;
  const base::ByteView from = notes_[part].subspan(begin);
  base::ByteView rest = from;
  if (!take_raw_record(rest, key, record)) return false;
  if (key.size() > kMaxKeyBytes || record.size() > kMaxRecordBytes) return false;
  return check_of_(from.first(from.size() - rest.size()), rank) ==
         base::load_le<std::uint32_t>(checks_ + 4 * number);
}

// A rank stands for the first half of a hash, and where the record begins for the other.
BumpedTable::Writer::Writer(std::uint64_t n, std::uint64_t expected, base::Scratch* scratch)
    : n_(n),
      shift_(static_cast<unsigned>(std::countl_zero(n | 1))),
      scratch_(scratch),
      sorted_(expected, scratch) {}

void BumpedTable::Writer::add(const Place& bumped_key) {
  sorted_.writer(0).add({{bumped_key.rank << shift_, bumped_key.begin},
                         std::uint64_t{bumped_key.part} << 32 | bumped_key.check});
}

void BumpedTable::Writer::finish(std::uint64_t part_ranks, const base::BuildContext& context,
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
