// SPDX-License-Identifier: Apache-2.0
#include "crivo/build/shards.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>

#include "crivo/build/kinds.hpp"
#include "crivo/error.hpp"
#include "program/build_report.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/exchange_option.hpp"
#include "program/group_option.hpp"
#include "program/input_paths.hpp"
#include "program/notes.hpp"
#include "program/progress_line.hpp"
#include "program/values.hpp"
#include "program/work_options.hpp"

namespace crivo::cli {
namespace {

struct PartitionCommand {
  KeyInput input;
  std::vector<std::string> members;
  std::vector<std::string> universe;
  GroupOption group;
  std::string output;
  std::string finish;
  std::string part;
  FormatOptions formats;
  PartitionOptions partition;
  bool has_rows = false;
  RowsOptions rows;
  std::string value_type = "unsigned";
  std::string seed = std::to_string(kDefaultSeed);
  std::string duplicates = "error";
  WorkOptions work;
  BuildOptions options;
  ReportOptions reports;
  Progress progress;
};

std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f s", seconds);
  return text.data();
}

/// `seconds` were spent before.
int finish(PartitionCommand& command, const std::string& directory, double seconds) {
  PartitionTotals totals;
  {
    const ProgressLine line(command.progress, command.reports);
    totals = finish_partition(directory, command.options);
    totals.seconds += seconds;
  }
  return report_published(totals.warnings, command.reports.quiet, [&] {
    if (command.reports.json) {
      print_json({{"schema", 1},
                  {"keys", totals.keys},
                  {"duplicates", totals.duplicates},
                  {"tasks", totals.tasks},
                  {"seconds", totals.seconds}});
    } else if (!command.reports.quiet) {
      print_line(directory + ": " + counted(totals.keys, "key") + " from " +
                 counted(totals.tasks, "part") + " of the input" +
                 (totals.duplicates == 0
                      ? ""
                      : ", " + counted(totals.duplicates, "duplicate") + " left out") +
                 "; " + seconds_text(totals.seconds));
    }
  });
}

int deal_out(PartitionCommand& command) {
  PartitionSummary summary;
  {
    const ProgressLine line(command.progress, command.reports, command.input.paths);
    summary = partition_keys(command.input, command.output, command.partition, command.options);
  }
  if (command.part.empty()) {
    for (const Warning& warning : summary.warnings) {
      if (!command.reports.quiet) print_warning(warning);
    }
    return finish(command, command.output, summary.seconds);
  }
  return report_published(summary.warnings, command.reports.quiet, [&] {
    if (command.reports.json) {
      print_json({{"schema", 1},
                  {"keys", summary.keys},
                  {"duplicates", summary.duplicates},
                  {"bytes", summary.bytes},
                  {"was_done", summary.was_done},
                  {"seconds", summary.seconds}});
    } else if (!command.reports.quiet) {
      print_line(command.output + ": part " + command.part + ": " + counted(summary.keys, "key") +
                 ", " + human_bytes(static_cast<double>(summary.bytes)) +
                 (summary.was_done ? "; already done" : "; " + seconds_text(summary.seconds)));
    }
  });
}

int run_partition(PartitionCommand& command) {
  command.group.put_in(command.input, command.formats);
  command.partition.grouped = command.group.is_given() && !command.partition.filter_set;
  if (command.members.empty() != command.universe.empty() ||
      (!command.members.empty() && !command.input.paths.empty()))
    throw Error(ErrorKind::usage, "use --members and --universe together, and no KEYS");
  if (!command.members.empty()) {
    command.input.paths = command.members;
    command.input.universe =
        std::make_shared<const KeyInput>(KeyInput{command.universe, command.input.format});
  }
  command.work.put_in(command.options.resources);
  command.options.resources.progress = &command.progress;
  if (!command.finish.empty()) {
    if (!command.input.paths.empty() || !command.output.empty() || command.partition.shards != 0)
      throw Error(ErrorKind::usage, "--finish needs a directory, and no input");
    return finish(command, command.finish, 0);
  }
  if (command.group.by_file && !command.partition.filter_set)
    throw Error(ErrorKind::usage, "--group-by-file needs --filterset");
  if (command.output.empty() || command.partition.shards == 0)
    throw Error(ErrorKind::usage, "--shards N and -o DIR are required, or --finish DIR");
  require_inputs(command.input.paths, "KEYS (or --members and --universe)");
  if (!command.part.empty() && command.seed == "random")
    throw Error(ErrorKind::usage, "all parts need the same seed; use --seed random:N with one N");
  if (command.has_rows) {
    if (command.formats.fixed != 0 && command.formats.fixed != 8)
      throw Error(ErrorKind::usage, "--fixed must be 8 with --rows: keys are 64-bit numbers");
    command.rows.fixed = command.formats.fixed;
    command.input.format.framing = KeyFormat::Framing::lines;
    command.input.format.width = 0;
    command.partition.rows = command.rows;
  }
  if (!command.has_rows &&
      (command.rows.many || !command.rows.row_groups.empty() || !command.rows.null_text.empty()))
    throw Error(ErrorKind::usage, "--many, --row-groups and --null-text need --rows");
  command.partition.form.type = value_type_named(command.value_type);
  const Seed seed = parse_seed(command.seed);
  command.options.seed = seed.number;
  command.options.keyed_hash = seed.random;
  command.options.ignore_duplicates = command.duplicates != "error";
  if (command.duplicates == "last") command.partition.repeated = RepeatedRecords::last;
  if (command.duplicates == "all") command.partition.repeated = RepeatedRecords::all;
  if (command.partition.repeated != RepeatedRecords::first && !command.partition.records)
    throw Error(ErrorKind::usage, "--duplicates last and all need --records");
  if (!command.part.empty()) {
    const Numbered part = parse_share(command.part);
    command.partition.part = {part.index, part.count};
  }
  return deal_out(command);
}

using Join = BuildSummary (*)(const std::vector<std::filesystem::path>& parts,
                              const std::filesystem::path& output, const BuildOptions& options);

/// The command line of merge and of manifest, which write one file of many parts.
struct JoinCommand {
  std::vector<std::string> parts;
  std::string output;
  NoteOptions notes;
  WorkOptions work;
  BuildOptions options;
  ReportOptions reports;
  Progress progress;
};

int run_join(JoinCommand& command, Join join) {
  command.options.notes = command.notes.parsed();
  command.work.put_in(command.options.resources);
  command.options.resources.progress = &command.progress;
  BuildSummary summary;
  {
    const ProgressLine line(command.progress, command.reports);
    summary = join({command.parts.begin(), command.parts.end()}, command.output, command.options);
  }
  return report_built(summary, command.output, command.reports);
}

}  // namespace

void add_partition(CLI::App& app, Action& action) {
  auto options = std::make_shared<PartitionCommand>();
  CLI::App* command = app.add_subcommand(
      "partition",
      "split keys by their hashes, for a build in shards\n\n"
      "Any tasks that share a directory will do. Then crivo build KIND DIR --shard I/N -o PART "
      "makes\n"
      "each part, and crivo merge PART... -o PATH writes what one machine would have written. "
      "With\n"
      "--part J/M each of M tasks splits its share of the input; then run --finish DIR "
      "once.\nExample: crivo partition urls.txt --shards 2 -o split\n"
      "         crivo build mphf split --shard 0/2 -o part0");
  add_input_paths(*command, "KEYS", options->input.paths,
                  "files, in one order for all parts; - or none is standard input");
  command
      ->add_option(
          "--members", options->members,
          "files of the members of an exact set, for build exact and diff; in place of KEYS")
      ->type_name("FILE");
  command
      ->add_option("--universe", options->universe,
                   "files of the keys that the set is to answer for, beside --members")
      ->type_name("FILE");
  options->group.add_to(*command);
  options->group.add_by_file(*command);
  command
      ->add_option("--group-delimiter", options->partition.group_delimiter,
                   "each key begins with the name of its group, up to the first C")
      ->type_name("C");
  command
      ->add_option("--prefixes", options->partition.prefixes,
                   "also what stands before each C in a key, for build filter")
      ->type_name("C")
      ->transform(byte_value());
  command->add_option("--shards", options->partition.shards, "how many shards there will be, about")
      ->type_name("N")
      ->transform(count_value(1, 1 << 20));
  options->partition.shards = 0;
  command->add_option("-o,--output", options->output, "the directory; created if it does not exist")
      ->type_name("DIR")
      ->transform(output_path());
  command
      ->add_option("--part", options->part,
                   "split part J of M of the input, by its bytes; a part that is done is not done "
                   "again. gzip and zstd files are cut at members and frames only")
      ->type_name("J/M")
      ->transform(share_value());
  command->add_option("--finish", options->finish, "finish the partition in DIR, after all parts")
      ->type_name("DIR");
  command->add_flag("--values", options->partition.values,
                    "the input is key<TAB>value lines, for build map --values");
  command->add_flag_callback(
      "--no-numbers", [options] { options->partition.numbers = false; },
      "no line numbers, which only build map needs: a third less");
  command->add_flag("--records", options->partition.records,
                    "the input is key<TAB>record lines, for build store");
  command->add_flag("--rows", options->has_rows,
                    "key<TAB>file<TAB>row lines, for build rows; --fixed 8 too");
  command->add_flag("--filterset", options->partition.filter_set,
                    "group<TAB>key lines, or --group-by-file, for build filterset");
  command->add_flag("--many", options->rows.many, "with --rows: keys may stand in several rows");
  command
      ->add_option("--row-groups", options->rows.row_groups,
                   "with --rows: the row groups of all files, as for crivo build rows")
      ->type_name("FILE");
  command
      ->add_option("--null-text", options->rows.null_text,
                   "with --rows: what a key that is NULL is, as for crivo build rows")
      ->type_name("TEXT");
  command->add_flag("--texts", options->partition.texts,
                    "keep the keys themselves, for build dictionary");
  CLI::Option* type =
      command->add_option("--value-type", options->value_type, "unsigned, signed or decimal")
          ->transform(one_of({"unsigned", "signed", "decimal"}))
          ->capture_default_str();
  command
      ->add_option("--scale", options->partition.form.scale,
                   "digits after the point of a decimal, 0 to 18")
      ->type_name("N")
      ->transform(count_value(0, kMaxValueScale))
      ->needs(type);
  command
      ->add_option("--hash", options->partition.hash,
                   "key hash: xxh3, xxh64 for split-block-bloom or range for range filters")
      ->transform(one_of({"xxh3", "xxh64", "range"}))
      ->capture_default_str();
  options->formats.add_to(*command, true, true);
  command
      ->add_option(
          "--duplicates", options->duplicates,
          "what to do with equal keys: error or ignore; with --records also last or all, as "
          "for crivo build store")
      ->transform(one_of({"error", "ignore", "last", "all"}))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "seed of the key hash, as for crivo build")
      ->type_name("N|random[:N]")
      ->transform(seed_value(false))
      ->capture_default_str();
  options->work.add_to(*command);
  add_allow_empty_set(*command, options->options.allow_empty_set);
  add_exchange(*command, options->options.exchange,
               "the keys of this part, or what --finish makes");
  command
      ->add_option("--resume", options->options.resume_dir,
                   "keep what was read in this directory, for each part its own, so that a killed "
                   "partition can be run again; removed on success")
      ->type_name("DIR");
  command->add_flag("-f,--force", options->options.replace, "replace another partition");
  options->reports.add_to(*command);
  command->callback([options, &action] { action = [options] { return run_partition(*options); }; });
}

namespace {

void add_join(CLI::App& app, Action& action, const char* name, const char* help, Join join) {
  auto options = std::make_shared<JoinCommand>();
  CLI::App* command = app.add_subcommand(name, help);
  command->add_option("PART", options->parts, "the parts of all shards, in any order")
      ->required()
      ->transform(mapped_path());
  command->add_option("-o,--output", options->output, "what to write")
      ->required()
      ->type_name("PATH")
      ->transform(output_path());
  options->notes.add_to(*command);
  options->work.add_to(*command);
  add_exchange(*command, options->options.exchange, "the output");
  add_force(*command, options->options.replace);
  options->reports.add_to(*command);
  command->callback(
      [options, join, &action] { action = [options, join] { return run_join(*options, join); }; });
}

}  // namespace

void add_merge(CLI::App& app, Action& action) {
  add_join(
      app, action, "merge",
      "join the parts of a build in shards\n\n"
      "The output is the file (for a store, the directory) that one machine would have written.\n"
      "Example: crivo merge part0 part1 -o urls.crv",
      merge_parts);
}

void add_manifest(CLI::App& app, Action& action) {
  add_join(
      app, action, "manifest",
      "serve the parts of a build in shards unmerged\n\n"
      "It writes a small file that is opened like the merged file or store, with the same "
      "answers\nas fast. The parts stay in the folder of the manifest or below, and can be moved "
      "with it.\nSuch a store is read-only.\nExample: crivo manifest part0 part1 -o urls.crv",
      write_manifest);
}

}  // namespace crivo::cli
