// SPDX-License-Identifier: Apache-2.0
#include "shards/dealt_files.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "shards/key_directory.hpp"

namespace crivo::index {

DealtFiles::DealtFiles(const std::vector<std::unique_ptr<const KeyFile>>& keys) {
  std::map<std::string, input::RowFile, std::less<>> by_name;
  for (const auto& task : keys) {
    const tables::FileList list = task->row_files();
    const bool is_first = task == keys.front();
    if (is_first) has_groups_ = list.has_groups();
    nulls_ += list.null_keys();
    bool agrees = list.has_groups() == has_groups_;
    for (std::uint64_t i = 0; i < list.files(); ++i) {
      input::RowFile one{std::string(list.name(i)), list.rows_of(i), list.groups_of(i)};
      if (one.rows >> input::RowFiles::kRowBits != 0)
        task->container().fail("damaged: a file has more rows than there can be");
      const auto [known, is_new] = by_name.emplace(one.name, one);
      // With row groups all tasks know all files.
      agrees &= !has_groups_ || (is_new == is_first && known->second.groups == one.groups);
      known->second.rows = std::max(known->second.rows, one.rows);
    }
    if (!agrees || (has_groups_ && list.files() != by_name.size()))
      throw Error(ErrorKind::usage,
                  task->name() + ": has other row groups than " + keys.front()->name() +
                      "; partition all parts with the same",
                  {.file = task->name(), .remedy = "row_groups"});
  }
  std::map<std::string_view, std::uint64_t> first_rows;
  for (const auto& [name, file] : by_name) {
    first_rows.emplace(name, rows_);
    rows_ += file.rows;
    files_.push_back(file);
  }
  for (const auto& task : keys) {
    const tables::FileList list = task->row_files();
    std::vector<Rows>& own = tasks_.emplace_back();
    for (std::uint64_t i = 0; i < list.files(); ++i)
      own.push_back({first_rows.at(list.name(i)), list.rows_of(i)});
  }
}

tables::FileList KeyFile::row_files() const {
  const std::uint64_t bytes = container_.require(file::kRowFilesSection, "row files").size();
  return file::naming(name(),
                      [&] { return tables::FileList(checked(file::kRowFilesSection, 0, bytes)); });
}

base::ByteView KeyFile::group_names() const {
  return checked(file::kGroupNamesSection, 0,
                 container_.require(file::kGroupNamesSection, "group names").size());
}

std::uint64_t DealtFiles::number_of(const KeyFile& keys, std::uint64_t place) const {
  constexpr unsigned kRowBits = input::RowFiles::kRowBits;
  const std::vector<Rows>& files = tasks_[keys.table().task];
  const std::uint64_t file = place >> kRowBits;
  const std::uint64_t row = place & ((std::uint64_t{1} << kRowBits) - 1);
  if (file >= files.size() || row >= files[file].count)
    keys.container().fail("damaged: a row is in none of its files");
  return files[file].first + row;
}

}  // namespace crivo::index
