// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "program/command.hpp"
#include "program/input_paths.hpp"
#include "program/layers.hpp"

namespace crivo::cli {
namespace {

struct RowsCommand : LayersCommand {
  RowsOptions layer;

  RowsCommand() : LayersCommand("file") {}
  void add_rows(CLI::App& command) {
    add_pairs(command, "files of key, file and row, as of crivo build rows; - is standard input");
    command
        .add_option("--row-groups", layer.row_groups,
                    "a file of lines file<TAB>row group<TAB>its rows of the new files")
        ->type_name("FILE");
    command.add_flag("--check-files", layer.check_files,
                     "look at the new files, so that query --check-files can tell that one was "
                     "rewritten since; so it is anyway if those of FILE were looked at");
  }
};

int add(RowsCommand& command) {
  require_inputs(command.input.paths, "PAIRS");
  return command.run([&] {
    return add_rows(command.path, command.input, command.output, command.layer, command.edit,
                    command.options);
  });
}

int remove(RowsCommand& command) {
  return command.run(
      [&] { return remove_rows(command.path, command.output, command.edit, command.options); });
}

int compact(RowsCommand& command) {
  require_inputs(command.input.paths, "PAIRS");
  return command.run([&] {
    return compact_rows(command.path, command.input, command.layer, command.edit, command.options);
  });
}

}  // namespace

void add_rows_command(CLI::App& app, Action& action) {
  CLI::App* const rows = app.add_subcommand(
      "rows",
      "add files to an index of rows, or remove them\n\n"
      "FILE becomes a chain of layers: each is an index of the rows of new files, and lies beside\n"
      "the chain as CHAIN.N.rows. A query answers from all of them.\n"
      "Example: crivo rows add table.crv new.tsv --remove old.parquet -o table.chain\n"
      "         crivo rows add table.chain newer.tsv");
  rows->require_subcommand(1);

  auto adding = std::make_shared<RowsCommand>();
  CLI::App* command = rows->add_subcommand(
      "add",
      "add the rows of new files\n\n"
      "A file that the index has is refused (exit 3), unless it is removed in the same step.\n"
      "Example: crivo rows add table.crv new.tsv --remove old.parquet -o table.chain");
  adding->add_path(*command, "an index of rows, or a chain of one");
  adding->add_rows(*command);
  adding->add_removed(*command);
  adding->add_output(*command);
  adding->add_rest(*command);
  command->callback([adding, &action] { action = [adding] { return add(*adding); }; });

  auto removing = std::make_shared<RowsCommand>();
  command =
      rows->add_subcommand("remove",
                           "remove files: their rows are found no more\n\n"
                           "Example: crivo rows remove table.chain old.parquet older.parquet");
  removing->add_path(*command, "an index of rows, or a chain of one");
  removing->add_names(*command);
  removing->add_output(*command);
  removing->add_rest(*command);
  command->callback([removing, &action] { action = [removing] { return remove(*removing); }; });

  auto compacting = std::make_shared<RowsCommand>();
  command = rows->add_subcommand(
      "compact",
      "build a chain anew as one layer, while others read\n\n"
      "An index holds no keys, so PAIRS are the rows of all files. A file that the chain does not\n"
      "have, or has and PAIRS have not, is refused (exit 3).\n"
      "Example: crivo rows compact table.chain all.tsv");
  compacting->add_path(*command, "a chain");
  compacting->add_rows(*command);
  compacting->add_rest(*command);
  command->callback(
      [compacting, &action] { action = [compacting] { return compact(*compacting); }; });
  for (CLI::App* one : rows->get_subcommands({})) one->group(kOwnCommands);
}

}  // namespace crivo::cli
