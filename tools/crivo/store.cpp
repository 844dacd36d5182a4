// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>

#include "crivo/command.hpp"
#include "crivo/common.hpp"
#include "crivo/progress_line.hpp"
#include "crivo/store_edit.hpp"
#include "crivo/text.hpp"
#include "crivo/values.hpp"

namespace crivo::cli {
namespace {

struct StoreCommand {
  std::string path;
  KeyInput input;
  FormatOptions formats;
  ReportOptions reports;

  void add_to(CLI::App& command, const char* inputs, bool with_fixed) {
    command.add_option("DIR", path, "a store's directory, of the backend lmdb")
        ->required()
        ->transform(mapped_path());
    command.add_option(inputs, input.paths, "files, or - for standard input, the default");
    formats.add_to(command, with_fixed);
    reports.add_to(command);
  }
};

int edit(StoreCommand& command, bool sets) {
  if (command.input.paths.empty()) command.input.paths.emplace_back("-");
  command.input.format = command.formats.format();
  Progress progress;
  StoreEdit done;
  {
    const ProgressLine line(progress, command.reports, command.input.paths);
    done = sets ? set_records(command.path, command.input, &progress)
                : remove_records(command.path, command.input, &progress);
  }
  return report_published({}, command.reports.quiet, [&] {
    if (command.reports.json) {
      Json json{{"schema", 1}, {"given", done.given}};
      if (!sets) json["absent"] = done.absent;
      json["records"] = done.records;
      print_json(json);
    } else if (!command.reports.quiet) {
      std::cerr << escape(command.path) << ": " << (done.given - done.absent)
                << (sets ? " records set" : " records removed");
      if (done.absent != 0) std::cerr << ", " << done.absent << " keys had none";
      std::cerr << "; " << done.records << " records in all\n";
    }
  });
}

}  // namespace

void add_store_command(CLI::App& app, Action& action) {
  CLI::App* store = app.add_subcommand(
      "store",
      "change and remove records, while others read\n\n"
      "Example: crivo store set pages changed.tsv && crivo store remove pages gone.txt");
  store->require_subcommand(1);

  auto set = std::make_shared<StoreCommand>();
  CLI::App* command = store->add_subcommand(
      "set",
      "replace the records of keys of the store\n\n"
      "All records change at once, or none. If a key is given twice, the last record counts. A "
      "key\n"
      "that is not in the store is an error (exit 3): new keys need a build.\n"
      "Example: printf 'http://a.example/\\t{\"seen\":2}\\n' | crivo store set pages");
  set->add_to(*command, "RECORDS", false);
  command->callback([set, &action] { action = [set] { return edit(*set, true); }; });

  auto remove = std::make_shared<StoreCommand>();
  command = store->add_subcommand("remove",
                                  "remove the records of keys, all at once\n\n"
                                  "After that the keys are absent.\n"
                                  "Example: crivo store remove pages gone.txt");
  remove->add_to(*command, "KEYS", true);
  command->callback([remove, &action] { action = [remove] { return edit(*remove, false); }; });
}

}  // namespace crivo::cli
