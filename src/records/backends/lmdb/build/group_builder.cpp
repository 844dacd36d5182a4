// SPDX-License-Identifier: Apache-2.0
#include "records/backends/lmdb/build/group_builder.hpp"

#include <algorithm>

namespace crivo::records {

namespace {

constexpr std::uint64_t kMostRecords = 0xffff;  // of a group

}  // namespace

bool GroupBuilder::fits(const EncodedUnit& unit) const noexcept {
  const std::uint64_t all = records() + unit.records;
  return all <= kMostRecords &&
         group_directory_size(units_.size() + 1, all) + body_.size() + unit.stored.size() <=
             kGroupTarget;
}

void GroupBuilder::add(const EncodedUnit& unit) {
  const std::uint64_t before = records();
  body_.insert(body_.end(), unit.stored.begin(), unit.stored.end());
  units_.push_back({body_.size(), before + unit.records});
}

base::Bytes GroupBuilder::finish() {
  const std::uint64_t all = records();
  base::Bytes group;
  group.reserve(group_directory_size(units_.size(), all) + body_.size());
  const auto put = [&](std::uint64_t value) {
    group.resize(group.size() + kGroupNumber);
    base::store_le(group.data() + group.size() - kGroupNumber, static_cast<std::uint16_t>(value));
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

}  // namespace crivo::records
