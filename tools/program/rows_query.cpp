// SPDX-License-Identifier: Apache-2.0
#include "program/rows_query.hpp"

#include <algorithm>
#include <functional>

#include "crivo/error.hpp"

namespace crivo::cli {

void RowFileOptions::add_to(CLI::App& command) {
  command.add_flag("--check-files", checks,
                   "rows: refuse answers (exit 1) into files that were rewritten");
  add_rename(command);
}

void RowFileOptions::add_rename(CLI::App& command) {
  command
      .add_option("--rename", renames, "rows: in the beginning of names of files put NEW for OLD")
      ->type_name("OLD=NEW")
      ->type_size(1)
      ->allow_extra_args(false);
}

RowFileNames::RowFileNames(const Rows& rows, const RowFileOptions& options)
    : rows_(rows), checks_(options.checks) {
  for (const std::string& rename : options.renames) {
    const std::size_t at = rename.find('=');
    if (at == std::string::npos)
      throw Error(ErrorKind::usage, "--rename: " + quote(rename) + " is not OLD=NEW");
    renames_.emplace_back(rename.substr(0, at), rename.substr(at + 1));
  }
}

std::string RowFileNames::renamed(std::string_view file) const {
  for (const auto& [old, now] : renames_) {
    if (file.starts_with(old)) return now + std::string(file.substr(old.size()));
  }
  return std::string(file);
}

void RowFileNames::check(std::uint64_t number, const std::string& name) {
  if (!checked_.insert(number).second) return;
  if (rows_.is_unchanged(number, name)) return;
  throw Error(ErrorKind::mismatch,
              name +
                  ": was rewritten or removed since it was indexed; remove it from the index, "
                  "and add what took its place (crivo rows add)");
}

std::string RowFileNames::name_of(const Rows::Row& row) {
  std::string name = renamed(row.file);
  if (checks_) check(row.file_number, name);
  return name;
}

void RowFileNames::check_all() {
  for (std::uint64_t i = 0; i < rows_.files(); ++i) {
    if (!rows_.is_removed(i)) check(i, renamed(rows_.file(i)));
  }
}

bool for_each_row(const Rows& rows, std::string_view key,
                  const std::function<void(const Rows::Row&)>& use) {
  bool found = false;
  const Rows::Status status = rows.visit_rows(key, [&](const Rows::Row& row) {
    found = true;
    use(row);
  });
  if (status == Rows::Status::damaged)
    throw Error(ErrorKind::corrupt,
                "damaged: the bytes that tell the row of " + quote(key) + " fail their sums");
  return found;
}

std::string sql_text(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) {
    literal += c;
    if (c == '\'') literal += c;
  }
  return literal + "'";
}

std::string RowsSql::statement() const {
  if (numbers_.empty()) return "SELECT NULL WHERE false;\n";
  std::string text;
  for (const auto& [file, numbers] : numbers_) {
    std::vector<std::uint64_t> sorted = numbers;
    std::ranges::sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    text += text.empty() ? "" : "\nUNION ALL BY NAME\n";
    text += "SELECT * FROM read_parquet(" + sql_text(file) +
            ", file_row_number = true) WHERE file_row_number IN (";
    for (const std::uint64_t number : sorted)
      text += (number == sorted.front() ? "" : ", ") + std::to_string(number);
    text += ")";
  }
  return text + ";\n";
}

}  // namespace crivo::cli
