// SPDX-License-Identifier: Apache-2.0
#include "structures/tables/file_list.hpp"

#include <utility>

#include "base/bytes.hpp"

namespace crivo::tables {
namespace {

constexpr std::uint64_t kHeaderBytes = 64;
constexpr std::uint64_t kMostFiles = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostGroups = std::uint64_t{1} << 40;

std::uint64_t at(const std::byte* numbers, std::uint64_t index) noexcept {
  return base::load_le<std::uint64_t>(numbers + 8 * index);
}

/// The last of the ascending numbers [low, high) that is not above `number`; the first is not.
std::uint64_t last_not_above(const std::byte* numbers, std::uint64_t low, std::uint64_t high,
                             std::uint64_t number) noexcept {
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (at(numbers, middle) <= number ? low : high) = middle;
  }
  return low;
}

}  // namespace

FileList::FileList(const base::CheckedBytes& section) {
  base::FieldReader fields(section, "section of row files");
  const unsigned has_groups = fields.u8();
  if (has_groups > 1) fields.fail("is neither with row groups nor without");
  has_groups_ = has_groups == 1;
  fields.zeros(7);
  files_ = fields.u64();
  rows_ = fields.u64();
  groups_ = fields.u64();
  null_keys_ = fields.u64();
  fields.align(kHeaderBytes);
  if (files_ > kMostFiles || groups_ > kMostGroups || (!has_groups_ && groups_ != 0))
    fields.fail("has an impossible number of files or row groups");
  first_rows_ = fields.take_touched(8 * files_).data();
  name_ends_ = fields.take_touched(8 * files_).data();
  group_ends_ = fields.take_touched(has_groups_ ? 8 * files_ : 0).data();
  group_begins_ = fields.take_touched(8 * groups_).data();
  const std::uint64_t name_bytes = files_ == 0 ? 0 : at(name_ends_, files_ - 1);
  names_ = fields.take_touched(name_bytes).data();
  fields.expect_end();

  std::uint64_t name_end = 0;
  std::uint64_t group = 0;
  for (std::uint64_t i = 0; i < files_; ++i) {
    const std::uint64_t row = at(first_rows_, i);
    const std::uint64_t end = i + 1 < files_ ? at(first_rows_, i + 1) : rows_;
    if (row > end || (i == 0 && row != 0)) fields.fail("has rows that do not ascend");
    const std::uint64_t name_begin = std::exchange(name_end, at(name_ends_, i));
    if (name_end <= name_begin || name_end > name_bytes || (i != 0 && name(i - 1) >= name(i)))
      fields.fail("has names that do not ascend");
    if (!has_groups_) continue;
    const std::uint64_t first = group;
    const std::uint64_t last = at(group_ends_, i);
    if (last < first || last > groups_ || (last == first && row != end))
      fields.fail("has rows of no row group, or row groups of no file");
    for (std::uint64_t before = row; group < last; before = at(group_begins_, group++)) {
      const std::uint64_t begin = at(group_begins_, group);
      if (begin < before || begin > end || (group == first && begin != row))
        fields.fail("has row groups that do not ascend");
    }
  }
  if (group != groups_ || (files_ == 0 && rows_ != 0))
    fields.fail("has rows or row groups of no file");
}

std::string_view FileList::name(std::uint64_t file) const noexcept {
  const std::uint64_t begin = file == 0 ? 0 : at(name_ends_, file - 1);
  return {reinterpret_cast<const char*>(names_) + begin, at(name_ends_, file) - begin};
}

std::uint64_t FileList::rows_of(std::uint64_t file) const noexcept {
  return (file + 1 < files_ ? at(first_rows_, file + 1) : rows_) - at(first_rows_, file);
}

std::vector<std::uint64_t> FileList::groups_of(std::uint64_t file) const {
  std::vector<std::uint64_t> groups;
  if (!has_groups_) return groups;
  const std::uint64_t last = at(group_ends_, file);
  std::uint64_t group = file == 0 ? 0 : at(group_ends_, file - 1);
  for (; group < last; ++group) {
    const std::uint64_t end =
        group + 1 < last ? at(group_begins_, group + 1) : at(first_rows_, file) + rows_of(file);
    groups.push_back(end - at(group_begins_, group));
  }
  return groups;
}

RowPlace FileList::place(std::uint64_t number) const noexcept {
  RowPlace place{.file = last_not_above(first_rows_, 0, files_, number)};
  place.row = number - at(first_rows_, place.file);
  if (has_groups_) {
    const std::uint64_t first = place.file == 0 ? 0 : at(group_ends_, place.file - 1);
    place.group = last_not_above(group_begins_, first, at(group_ends_, place.file), number) - first;
  }
  return place;
}

}  // namespace crivo::tables
