// SPDX-License-Identifier: Apache-2.0
/// The options of a query of rows beside the rows: that their files are as they were, other names
/// of these, and the SQL that fetches the rows.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/rows.hpp"

namespace crivo::cli {

/// --check-files and --rename.
struct RowFileOptions {
  void add_to(CLI::App& command);
  /// --rename alone.
  void add_rename(CLI::App& command);
  bool is_given() const noexcept { return checks || !renames.empty(); }

  bool checks = false;
  std::vector<std::string> renames;  ///< each OLD=NEW
};

/// The names of an index's files, as they are to be now.
class RowFileNames {
 public:
  /// Throws Error(usage) for a renaming without =.
  RowFileNames(const Rows& rows, const RowFileOptions& options);

  /// The name of a row's file with its beginning renamed. If files are to be checked, throws
  /// Error(mismatch) unless it is as it was.
  std::string name_of(const Rows::Row& row);
  /// Checks all files that are not removed. Throws Error(mismatch).
  void check_all();

 private:
  std::string renamed(std::string_view file) const;
  void check(std::uint64_t number, const std::string& name);

  const Rows& rows_;
  bool checks_;
  std::vector<std::pair<std::string, std::string>> renames_;
  std::set<std::uint64_t> checked_;
};

/// Calls use(row) for each row that a key may be in; returns whether there is one. Throws
/// Error(corrupt) if the key's row is damaged.
bool for_each_row(const Rows& rows, std::string_view key,
                  const std::function<void(const Rows::Row&)>& use);

/// A text as a literal of SQL: in single quotes, which are doubled in it.
std::string sql_text(std::string_view text);

/// Gathers rows, for one statement that fetches them all.
class RowsSql {
 public:
  void add(const std::string& file, std::uint64_t row) { numbers_[file].push_back(row); }
  /// A statement of DuckDB, which has a part for each file; one that gives no row where there is
  /// none.
  std::string statement() const;

 private:
  std::map<std::string, std::vector<std::uint64_t>> numbers_;  ///< of rows, by file
};

}  // namespace crivo::cli
