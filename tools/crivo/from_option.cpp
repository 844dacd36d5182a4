// SPDX-License-Identifier: Apache-2.0
#include "crivo/from_option.hpp"

#include "crivo/error.hpp"
#include "crivo/values.hpp"

namespace crivo::cli {

void FromOption::add_to(CLI::App& command) {
  CLI::Option* option =
      command
          .add_option("--from", from,
                      "lmdb: the input is an LMDB environment, a directory or a file, which other "
                      "programs may go on using; its keys are the keys, its values the records or, "
                      "with --values, the numbers")
          ->transform(one_of({"lmdb"}));
  command.add_option("--db", database, "the database of that name in the environment")
      ->type_name("NAME")
      ->transform(name_value())
      ->needs(option);
  command
      .add_flag("--binary-values", binary_values,
                "numbers there are 1 to 8 bytes, the lowest first, in place of decimal digits")
      ->needs(option);
}

KeyInput FromOption::input(const std::vector<std::string>& paths, LmdbTake beside) const {
  if (paths.size() != 1 || paths.front() == "-")
    throw Error(ErrorKind::usage, "--from lmdb reads one environment");
  if (binary_values && beside != LmdbTake::text_values)
    throw Error(ErrorKind::usage, "--binary-values needs --values");
  if (binary_values) beside = LmdbTake::binary_values;
  return lmdb_entries(paths.front(), {.database = database, .take = beside});
}

}  // namespace crivo::cli
