// SPDX-License-Identifier: Apache-2.0
#include "program/group_option.hpp"

#include "crivo/error.hpp"
#include "program/values.hpp"

namespace crivo::cli {

void GroupOption::add_to(CLI::App& command) {
  command
      .add_option("--group", column,
                  "the column of the names of groups; the key is in --column, by default 2, or 1 "
                  "if that is the group")
      ->type_name("COLUMN")
      ->transform(columns_value());
}

void GroupOption::add_by_file(CLI::App& command) {
  command
      .add_flag("--group-by-file", by_file,
                "filterset: each input file is a group, named by its path as given")
      ->excludes(option_named(command, "--group"));
}

void GroupOption::put_in(KeyInput& input, const FormatOptions& formats) const {
  input.format = format(formats);
  if (by_file) input.groups = input.paths;
}

KeyFormat GroupOption::format(const FormatOptions& formats) const {
  if (!is_given()) return formats.format();
  FormatOptions both = formats;
  if (both.columns.empty()) both.columns.emplace_back(column == "1" ? "2" : "1");
  if (column.find(',') != std::string::npos || both.columns.size() != 1 ||
      both.columns.front().find(',') != std::string::npos)
    throw Error(ErrorKind::usage, "--group and --column name one column each");
  both.columns.front() += "," + column;
  return both.format();
}

}  // namespace crivo::cli
