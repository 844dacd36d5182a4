// SPDX-License-Identifier: Apache-2.0
/// The section that says which rows are in which file (formats/rows.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/page_checks.hpp"

namespace crivo::tables {

/// Where a row is.
struct RowPlace {
  std::uint64_t file = 0;                ///< the number of the file
  std::optional<std::uint64_t> group{};  ///< of the file's row groups, where these are known
  std::uint64_t row = 0;                 ///< in the file
};

/// Such a section, which must outlive it. Rows of all files are numbered one after the other.
class FileList {
 public:
  /// Touches all of it. Throws Error(corrupt). O(files + row groups).
  explicit FileList(const base::CheckedBytes& section);

  std::uint64_t files() const noexcept { return files_; }
  std::uint64_t rows() const noexcept { return rows_; }
  bool has_groups() const noexcept { return has_groups_; }
  /// The number of rows whose keys were NULL, and left out.
  std::uint64_t null_keys() const noexcept { return null_keys_; }
  /// The number of row groups of all files.
  std::uint64_t groups() const noexcept { return groups_; }

  /// The name of a file. Names ascend.
  std::string_view name(std::uint64_t file) const noexcept;
  /// How many rows a file has.
  std::uint64_t rows_of(std::uint64_t file) const noexcept;
  /// How many rows each row group of a file has, where these are known.
  std::vector<std::uint64_t> groups_of(std::uint64_t file) const;
  /// The place of a row of all files. O(log(files + row groups)).
  RowPlace place(std::uint64_t number) const noexcept;

 private:
  bool has_groups_ = false;
  std::uint64_t files_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t groups_ = 0;
  std::uint64_t null_keys_ = 0;
  // Each of 8 bytes.
  const std::byte* first_rows_ = nullptr;    ///< of each file
  const std::byte* name_ends_ = nullptr;     ///< of each file
  const std::byte* group_ends_ = nullptr;    ///< of each file, among the groups of all
  const std::byte* group_begins_ = nullptr;  ///< of each group: its first row, of all files' rows
  const std::byte* names_ = nullptr;
};

}  // namespace crivo::tables
