// SPDX-License-Identifier: Apache-2.0
#include "records/backends/lmdb/group.hpp"

#include <algorithm>

namespace crivo::records {

namespace {

std::uint64_t number(base::ByteView numbers, std::uint64_t i) noexcept {
  return base::load_le<std::uint16_t>(numbers.data() + kGroupNumber * i);
}

}  // namespace

bool GroupReader::open(base::ByteView group, std::uint64_t last_rank) noexcept {
  if (group.size() < 2 * kGroupNumber) return false;
  units_ = number(group, 0);
  records_ = number(group, 1);
  last_rank_ = last_rank;
  if (units_ == 0 || records_ < units_ || records_ - 1 > last_rank) return false;
  const std::uint64_t size = group_directory_size(units_, records_);
  if (group.size() < size) return false;
  places_ = group.subspan(2 * kGroupNumber, kGroupNumber * (units_ - 1));
  counts_ = group.first(size).subspan(2 * kGroupNumber + places_.size());
  body_ = group.subspan(size);
  return true;
}

std::uint64_t GroupReader::place(std::uint64_t unit) const noexcept {
  if (unit == 0) return 0;
  return unit == units_ ? body_.size() : number(places_, unit - 1);
}

std::uint64_t GroupReader::records_before(std::uint64_t unit) const noexcept {
  if (unit == 0) return 0;
  if (unit == units_) return records_;
  return counts_.empty() ? unit : number(counts_, unit - 1);
}

base::ByteView GroupReader::directory_entry(std::uint64_t rank) const noexcept {
  if (records_ > units_ || rank > last_rank_ || last_rank_ - rank >= records_) return {};
  const std::uint64_t unit = rank - first_rank();  // between the places of units - 1 and unit
  const std::uint64_t begin = kGroupNumber * (unit == 0 ? 0 : unit - 1);
  return places_.subspan(begin, std::min<std::uint64_t>(2 * kGroupNumber, places_.size() - begin));
}

bool GroupReader::find(std::uint64_t rank, Unit& unit) const noexcept {
  if (rank > last_rank_ || last_rank_ - rank >= records_) return false;
  const std::uint64_t index = rank - first_rank();  // of the record
  std::uint64_t found = index;
  if (records_ > units_) {
    // The last unit with at most `index` records before it.
    found = 0;
    for (std::uint64_t end = units_; end - found > 1;) {
      const std::uint64_t middle = (found + end) / 2;
      (records_before(middle) <= index ? found : end) = middle;
    }
  }
  const std::uint64_t before = records_before(found);
  const std::uint64_t after = records_before(found + 1);
  const std::uint64_t begin = place(found);
  const std::uint64_t end = place(found + 1);
  if (before > index || after <= index || begin > end || end > body_.size()) return false;
  unit = {first_rank() + before, after - before, body_.subspan(begin, end - begin)};
  return true;
}

}  // namespace crivo::records
