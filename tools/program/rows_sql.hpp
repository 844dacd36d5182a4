// SPDX-License-Identifier: Apache-2.0
/// The SQL that fetches the rows of keys.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/rows.hpp"

namespace crivo::cli {

/// A text as a literal of SQL: in single quotes, which are doubled in it.
std::string sql_text(std::string_view text);

/// Gathers the rows of keys, for one statement that fetches them all.
class RowsSql {
 public:
  explicit RowsSql(const Rows& rows) : rows_(rows) {}

  /// Throws Error(corrupt) at a key whose row is damaged.
  void add(std::span<const std::string_view> keys);
  /// A statement of DuckDB, which has a part for each file; one that gives no row where there is
  /// none.
  std::string statement() const;

 private:
  const Rows& rows_;
  std::map<std::string, std::vector<std::uint64_t>, std::less<>> numbers_;  ///< of rows, by file
};

}  // namespace crivo::cli
