// SPDX-License-Identifier: Apache-2.0
#include "program/rows_sql.hpp"

#include <algorithm>
#include <functional>

#include "crivo/error.hpp"

namespace crivo::cli {

std::string sql_text(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) {
    literal += c;
    if (c == '\'') literal += c;
  }
  return literal + "'";
}

void RowsSql::add(std::span<const std::string_view> keys) {
  std::vector<Rows::Answer> answers(keys.size());
  rows_.lookup(keys, answers);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (answers[i].status == Rows::Status::damaged)
      throw Error(ErrorKind::corrupt,
                  "damaged: the bytes that tell the row of " + quote(keys[i]) + " fail their sums");
    if (answers[i]) numbers_[std::string(answers[i]->file)].push_back(answers[i]->row);
  }
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
