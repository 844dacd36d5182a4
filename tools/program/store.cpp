// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "crivo/build/edit.hpp"
#include "crivo/error.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/input_paths.hpp"
#include "program/progress_line.hpp"
#include "program/values.hpp"
#include "program/work_options.hpp"

namespace crivo::cli {
namespace {

struct StoreCommand {
  std::string path;
  KeyInput input;
  FormatOptions formats;
  WorkOptions work;
  ReportOptions reports;
  StoreEditOptions options;
  bool compacts = false;
  bool only_existing = false;
  bool only_new = false;

  SetKeys keys() const {
    if (only_existing) return SetKeys::existing;
    return only_new ? SetKeys::added : SetKeys::any;
  }

  void add_to(CLI::App& command, const char* inputs, bool with_fixed) {
    command.add_option("DIR", path, "a store's directory")->required()->transform(mapped_path());
    add_input_paths(command, inputs, input.paths, "files, or - for standard input, the default");
    formats.add_to(command, with_fixed);
    command.add_flag("--dry-run", options.dry_run,
                     "say what would be done, and leave the store as it is");
    command.add_flag("--drop-signature", options.drop_signature,
                     "remove the signature of a signed store, which would not cover its updates");
    work.add_to(command);
    reports.add_to(command);
  }
};

void print_compaction(const std::string& path, const StoreCompaction& done) {
  print_line(path + ": compacted, " + counted(done.records, "record") + ", " +
             human_bytes(static_cast<double>(done.bytes_before)) + " -> " +
             human_bytes(static_cast<double>(done.bytes)));
}

/// Where the updates are large. That this fails is no failure of the change, which is done.
StoreCompaction compact_after(const StoreCommand& command) {
  try {
    return compact_store(command.path,
                         {.above = kCompactAbove, .resources = command.options.resources});
  } catch (const Error& error) {
    return {.warnings = {{"the records are set, but the store is not compacted: " +
                          std::string(error.what())}}};
  }
}

std::string summary_of(const StoreEdit& done, bool sets) {
  if (sets) {
    return counted(done.given, "record") + " set: " + std::to_string(done.added) +
           " of new keys, " + std::to_string(done.replaced) + " replaced, " +
           std::to_string(done.unchanged) + " unchanged";
  }
  return counted(done.given - done.absent, "record") + " removed" +
         (done.absent != 0 ? ", " + counted(done.absent, "key") + " had none" : "");
}

int edit(StoreCommand& command, bool sets) {
  if (command.input.paths.empty()) command.input.paths.emplace_back("-");
  command.input.format = command.formats.format();
  Progress progress;
  command.options.keys = command.keys();
  command.work.put_in(command.options.resources);
  command.options.resources.progress = &progress;
  StoreEdit done;
  StoreCompaction compaction;
  {
    const ProgressLine line(progress, command.reports, command.input.paths);
    done = sets ? set_records(command.path, command.input, command.options)
                : remove_records(command.path, command.input, command.options);
    if (command.compacts && !command.options.dry_run) compaction = compact_after(command);
  }
  if (!compaction.is_compacted)
    compaction.warnings.insert(compaction.warnings.end(), done.warnings.begin(),
                               done.warnings.end());
  return report_published(compaction.warnings, command.reports.quiet, [&] {
    if (command.reports.json) {
      Json json{{"schema", 1}, {"given", done.given}};
      if (sets) {
        json["added"] = done.added;
        json["replaced"] = done.replaced;
        json["unchanged"] = done.unchanged;
      } else {
        json["absent"] = done.absent;
      }
      json["records"] = done.records;
      if (command.options.dry_run) json["dry_run"] = true;
      if (command.compacts) json["compacted"] = compaction.is_compacted;
      print_json(json);
    } else if (!command.reports.quiet) {
      print_line(command.path + (command.options.dry_run ? ": would be done: " : ": ") +
                 summary_of(done, sets) + "; " + counted(done.records, "record") + " in all");
      if (compaction.is_compacted) print_compaction(command.path, compaction);
    }
  });
}

struct CompactCommand {
  std::string path;
  WorkOptions work;
  ReportOptions reports;
};

int compact(const CompactCommand& command) {
  CompactOptions options;
  command.work.put_in(options.resources);
  Progress progress;
  options.resources.progress = &progress;
  StoreCompaction done;
  {
    const ProgressLine line(progress, command.reports, {});
    done = compact_store(command.path, options);
  }
  return report_published(done.warnings, command.reports.quiet, [&] {
    if (command.reports.json) {
      print_json({{"schema", 1},
                  {"compacted", done.is_compacted},
                  {"records", done.records},
                  {"bytes_before", done.bytes_before},
                  {"bytes", done.bytes}});
    } else if (!command.reports.quiet && done.is_compacted) {
      print_compaction(command.path, done);
    } else if (!command.reports.quiet) {
      print_line(command.path + ": there are no updates");
    }
  });
}

}  // namespace

void add_store_command(CLI::App& app, Action& action) {
  CLI::App* store = app.add_subcommand(
      "store",
      "change records or compact them, while others read\n\n"
      "Example: crivo store set pages changed.tsv && crivo store remove pages gone.txt");
  store->require_subcommand(1);

  auto set = std::make_shared<StoreCommand>();
  CLI::App* command = store->add_subcommand(
      "set",
      "add records, or replace those of keys of the store\n\n"
      "All records change at once, or none. If a key is given twice, the last record counts.\n"
      "The store keeps what was set in a log, until it is compacted.\n"
      "Example: printf 'http://a.example/\\t{\"seen\":2}\\n' | crivo store set pages");
  set->add_to(*command, "RECORDS", false);
  command->add_flag("--compact", set->compacts,
                    "then compact the store, as crivo store compact does, if its updates take more "
                    "than a quarter of the bytes of its data file");
  CLI::Option* const only_existing = command->add_flag(
      "--only-existing", set->only_existing, "refuse a key that the store does not have (exit 3)");
  command->add_flag("--only-new", set->only_new, "refuse a key that the store has (exit 3)")
      ->excludes(only_existing);
  command->callback([set, &action] { action = [set] { return edit(*set, true); }; });

  auto remove = std::make_shared<StoreCommand>();
  command = store->add_subcommand("remove",
                                  "remove the records of keys, all at once\n\n"
                                  "After that the keys are absent.\n"
                                  "Example: crivo store remove pages gone.txt");
  remove->add_to(*command, "KEYS", true);
  command->callback([remove, &action] { action = [remove] { return edit(*remove, false); }; });

  auto fold = std::make_shared<CompactCommand>();
  command = store->add_subcommand(
      "compact",
      "fold the updates into a fresh store, while others read\n\n"
      "The store takes the space of a new build, and opens as fast. Until that is done both\n"
      "are on disk. A key whose record was removed is not in the store any more. Sign the\n"
      "index again if it was signed.\n"
      "Example: crivo store compact pages");
  command->add_option("DIR", fold->path, "a store's directory")
      ->required()
      ->transform(mapped_path());
  fold->work.add_to(*command);
  fold->reports.add_to(*command);
  command->callback([fold, &action] { action = [fold] { return compact(*fold); }; });
  for (CLI::App* one : store->get_subcommands({})) one->group(kOwnCommands);
}

}  // namespace crivo::cli
