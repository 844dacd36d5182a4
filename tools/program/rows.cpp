// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "crivo/build/edit.hpp"
#include "crivo/error.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/input_paths.hpp"
#include "program/notes.hpp"
#include "program/progress_line.hpp"
#include "program/values.hpp"
#include "program/work_options.hpp"

namespace crivo::cli {
namespace {

struct RowsCommand {
  std::string path;
  std::string output;  ///< empty: `path`
  KeyInput input;
  FormatOptions formats;
  RowsOptions layer;
  RowsEdit edit;
  NoteOptions notes;
  WorkOptions work;
  BuildOptions options;
  ReportOptions reports;

  void add_path(CLI::App& command, const char* help) {
    command.add_option("FILE", path, help)->required()->transform(mapped_path());
  }
  void add_pairs(CLI::App& command) {
    add_input_paths(command, "PAIRS", input.paths,
                    "files of key, file and row, as of crivo build rows; - is standard input");
    formats.add_to(command, false);
    command
        .add_option("--row-groups", layer.row_groups,
                    "a file of lines file<TAB>row group<TAB>its rows of the new files")
        ->type_name("FILE");
    command.add_flag("--check-files", layer.check_files,
                     "look at the new files, so that query --check-files can tell that one was "
                     "rewritten since; so it is anyway if those of FILE were looked at");
    work.add_to(command);
  }
  void add_output(CLI::App& command) {
    command
        .add_option("-o,--output", output,
                    "the chain to write; without it FILE, which is a chain, is changed in place")
        ->type_name("CHAIN")
        ->transform(output_path());
  }
  /// Adds the options of every change.
  void add_rest(CLI::App& command) {
    command.add_option("--snapshot", edit.snapshot, "a name of what the table is now")
        ->type_name("NAME");
    notes.add_to(command);
    add_force(command, options.replace);
    reports.add_to(command);
  }
  void resolve() {
    if (output.empty()) output = path;
    input.format = formats.format();
    options.notes = notes.parsed();
    work.put_in(options.resources);
  }
};

int report_change(const RowsChange& done, const ReportOptions& reports) {
  return report_published(done.warnings, reports.quiet, [&] {
    if (reports.json) {
      print_json({{"schema", 1},
                  {"kind", "chain"},
                  {"keys", done.keys},
                  {"added", done.added},
                  {"bytes", done.bytes},
                  {"layers", done.layers},
                  {"files", done.files},
                  {"removed_files", done.removed_files},
                  {"state", done.state}});
    } else if (!reports.quiet) {
      print_line(
          done.output.string() + ": " + counted(done.layers, "layer") + ", " +
          counted(done.keys, "key") +
          (done.added != 0 ? " (" + std::to_string(done.added) + " new)" : "") + ", " +
          counted(done.files, "file") +
          (done.removed_files != 0 ? " (" + std::to_string(done.removed_files) + " removed)" : "") +
          ", " + human_bytes(static_cast<double>(done.bytes)));
    }
  });
}

/// Runs a change of that input with a progress line.
template <typename Change>
int run(RowsCommand& command, Change&& change) {
  command.resolve();
  Progress progress;
  command.options.resources.progress = &progress;
  RowsChange done;
  {
    const ProgressLine line(progress, command.reports, command.input.paths);
    done = change();
  }
  return report_change(done, command.reports);
}

int add(RowsCommand& command) {
  require_inputs(command.input.paths, "PAIRS");
  return run(command, [&] {
    return add_rows(command.path, command.input, command.output, command.layer, command.edit,
                    command.options);
  });
}

int remove(RowsCommand& command) {
  return run(command, [&] {
    return remove_rows(command.path, command.output, command.edit, command.options);
  });
}

int compact(RowsCommand& command) {
  require_inputs(command.input.paths, "PAIRS");
  return run(command, [&] {
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
  adding->add_pairs(*command);
  command
      ->add_option("--remove", adding->edit.removed,
                   "a file that is no more; may be given more than once")
      ->type_name("NAME")
      ->type_size(1)
      ->allow_extra_args(false);
  adding->add_output(*command);
  adding->add_rest(*command);
  command->callback([adding, &action] { action = [adding] { return add(*adding); }; });

  auto removing = std::make_shared<RowsCommand>();
  command =
      rows->add_subcommand("remove",
                           "remove files: their rows are found no more\n\n"
                           "Example: crivo rows remove table.chain old.parquet older.parquet");
  removing->add_path(*command, "an index of rows, or a chain of one");
  add_input_paths(*command, "NAME", removing->edit.removed, "files that are no more, by name");
  option_named(*command, "NAME")->required();
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
  compacting->add_pairs(*command);
  compacting->add_rest(*command);
  command->callback(
      [compacting, &action] { action = [compacting] { return compact(*compacting); }; });
  for (CLI::App* one : rows->get_subcommands({})) one->group(kOwnCommands);
}

}  // namespace crivo::cli
