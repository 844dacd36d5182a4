// SPDX-License-Identifier: Apache-2.0
#include "records/group.hpp"

#include <algorithm>

namespace crivo::records {

namespace {

constexpr std::size_t kNumber = 2;  // bytes
constexpr std::uint64_t kMostRecords = 0xffff;

std::uint64_t directory_size(std::uint64_t units, std::uint64_t records) noexcept {
  return kNumber * (2 + (units - 1) * (records > units ? 2 : 1));
}

std::uint64_t number(base::ByteView numbers, std::uint64_t i) noexcept {
  return base::load_le<std::uint16_t>(numbers.data() + kNumber * i);
}

}  // namespace

bool GroupBuilder::fits(const EncodedUnit& unit) const noexcept {
  const std::uint64_t all = records() + unit.records;
  return all <= kMostRecords &&
         directory_size(units_.size() + 1, all) + body_.size() + unit.stored.size() <= kGroupTarget;
}

void GroupBuilder::add(const EncodedUnit& unit) {
  const std::uint64_t before = records();
  body_.insert(body_.end(), unit.stored.begin(), unit.stored.end());
  units_.push_back({body_.size(), before + unit.records});
}

base::Bytes GroupBuilder::finish() {
  const std::uint64_t all = records();
  base::Bytes group;
  group.reserve(directory_size(units_.size(), all) + body_.size());
  const auto put = [&](std::uint64_t value) {
    group.resize(group.size() + kNumber);
    base::store_le(group.data() + group.size() - kNumber, static_cast<std::uint16_t>(value));
  };
  put(units_.size());
  put(all);
  for (std::size_t u = 0; u + 1 < units_.size(); ++u) put(units_[u].place);
  if (all > units_.size()) {
    for (std::size_t u = 0; u + 1 < units_.size(); ++u) put(units_[u].records);
  }
  group.insert(group.end(), body_.begin(), body_.end());
  units_.clear();
  body_.clear();
  return group;
}

bool GroupReader::open(base::ByteView group, std::uint64_t last_rank) noexcept {
  if (group.size() < 2 * kNumber) return false;
  units_ = number(group, 0);
  records_ = number(group, 1);
  last_rank_ = last_rank;
  if (units_ == 0 || records_ < units_ || records_ - 1 > last_rank) return false;
  const std::uint64_t size = directory_size(units_, records_);
  if (group.size() < size) return false;
  places_ = group.subspan(2 * kNumber, kNumber * (units_ - 1));
  counts_ = group.first(size).subspan(2 * kNumber + places_.size());
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
  const std::uint64_t begin = kNumber * (unit == 0 ? 0 : unit - 1);
  return places_.subspan(begin, std::min<std::uint64_t>(2 * kNumber, places_.size() - begin));
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
