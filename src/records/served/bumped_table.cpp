// SPDX-License-Identifier: Apache-2.0
#include "records/served/bumped_table.hpp"

#include <bit>
#include <utility>

#include "base/spool.hpp"
#include "crivo/key.hpp"
#include "records/block.hpp"

namespace crivo::records {

BumpedTable::BumpedTable(const base::CheckedBytes& section, std::uint64_t n,
                         std::vector<base::ByteView> notes)
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

}  // namespace crivo::records
