// SPDX-License-Identifier: Apache-2.0
#include "crivo/build/build.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <system_error>

#include "crivo/build/foreign.hpp"
#include "crivo/build/kinds.hpp"
#include "crivo/error.hpp"
#include "crivo/index.hpp"
#include "program/build_report.hpp"
#include "program/choice_options.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/exchange_option.hpp"
#include "program/exit_code.hpp"
#include "program/from_option.hpp"
#include "program/group_option.hpp"
#include "program/input_paths.hpp"
#include "program/notes.hpp"
#include "program/option_groups.hpp"
#include "program/progress_line.hpp"
#include "program/topics.hpp"
#include "program/values.hpp"
#include "program/work_options.hpp"

namespace crivo::cli {
namespace {

/// The options that builds of all kinds share.
struct BuildCommand {
  void add_to(CLI::App& command, const KindInfo& of) {
    kind = command.get_name();
    records = of.input == KindInput::records;
    rows = of.input == KindInput::rows;
    groups = of.input == KindInput::groups;
    if (of.input == KindInput::universe) {
      add_universe(command);
    } else {
      add_input_paths(command, keys_name(), input.paths,
                      "input files, read in order as one; - or none is standard input");
    }
    if (of.takes_passes) add_passes(command, input.command, options.passes);
    if (groups) {
      group.add_to(command);
      group.add_by_file(command);
    }
    if (!of.excluding.empty()) {
      kind_excluding = of.excluding;
      command
          .add_option("--not", excluded,
                      "files of keys that must not be answered \"maybe\": the output is then an "
                      "exact set of these and KEYS, and --fpr the rate of all other keys")
          ->type_name("FILE");
    }
    command.add_option("-o,--output", output, "what to write")
        ->required()
        ->type_name("PATH")
        ->transform(output_path());
    add_steps(command);
    formats.add_to(command, !records && !rows);
    if (of.input != KindInput::universe) from.add_to(command);
    command.add_option("--duplicates", duplicates, "what to do with equal keys: error or ignore")
        ->transform(one_of(policies))
        ->capture_default_str();
    command
        .add_option("--seed", seed,
                    "seed of the key hash; random: a keyed hash with a random seed, for keys that "
                    "strangers choose; random:N builds the same file again")
        ->type_name("N|random[:N]")
        ->transform(seed_value())
        ->capture_default_str();
    work.add_to(command);
    add_allow_empty_set(command, options.allow_empty_set);
    notes.add_to(command);
    add_foreign(command);
    add_force(command, options.replace);
    command.add_flag("--dry-run", dry_run, "show what the build would need, and write nothing");
    reports.add_to(command);
  }

  /// Returns the name of the argument for input files.
  std::string keys_name() const { return records ? "RECORDS" : groups ? "PAIRS" : "KEYS"; }

  /// Options of builds in steps.
  void add_steps(CLI::App& command) {
    command
        .add_option("--shard", shard,
                    "build part I of N; the input is the directory that crivo partition wrote")
        ->type_name("I/N")
        ->transform(share_value());
    add_exchange(command, options.exchange, "the part, with --shard");
    add_resume(command, options.resume_dir);
  }

  /// --format, of kinds that are built in formats of others, too.
  void add_foreign(CLI::App& command) {
    std::vector<std::string> names;
    std::string help = "write a format of others:";
    for (const foreign::FormatInfo& format : foreign::formats()) {
      if (format.kind != kind || !format.built) continue;
      help +=
          (names.empty() ? " " : "; ") + std::string(format.name) + ", " + std::string(format.help);
      names.emplace_back(format.name);
    }
    if (names.empty()) return;
    command.add_option("--format", foreign_format, help)
        ->type_name("NAME")
        ->transform(one_of(names));
  }

  /// Two inputs in the place of one.
  void add_universe(CLI::App& command) {
    command.add_option("DIR", directory, "with --shard: the directory that crivo partition wrote");
    command.add_option("--members", members, "files of the members, read in order as one")
        ->type_name("FILE");
    command
        .add_option("--universe", universe,
                    "files of all keys that will be asked, with the members or without; - is "
                    "standard input, for one of the two")
        ->type_name("FILE");
    has_universe = true;
    group.add_to(command);
  }

  /// The directory and the share of it that are to be built from. Throws Error(usage) for what a
  /// partition decides.
  Share shard_to_build() const {
    if (input.paths.size() != 1)
      throw Error(ErrorKind::usage, "--shard needs one directory of partitioned keys as the input");
    if (input.format != KeyFormat{} || group.by_file || from.is_given() || duplicates != "error" ||
        seed != std::to_string(kDefaultSeed) || dry_run || !options.resume_dir.empty()) {
      throw Error(
          ErrorKind::usage,
          "--shard cannot be used with --dry-run or --resume, or with options of the input (its "
          "format, --duplicates, --seed): give those to crivo partition");
    }
    const Numbered share = parse_share(shard);
    return {share.index, share.count};
  }

  /// Returns the input that is read in the place of key files. Throws Error(usage) for options that
  /// have no meaning there.
  KeyInput other_input() {
    if (groups) return from.grouped_input(input.paths, group.by_file, formats.format(), options);
    if (formats.format() != KeyFormat{} || !options.resume_dir.empty())
      throw Error(ErrorKind::usage, "--from cannot be used with --resume or the options of files");
    if (records) return from.input(input.paths, LmdbTake::records, options);
    const bool values = choices.contains("values");
    return from.input(input.paths, values ? LmdbTake::text_values : LmdbTake::keys, options);
  }

  /// The input of a kind that has a universe.
  void resolve_universe() {
    if (shard.empty() ? !directory.empty() || members.empty() || universe.empty()
                      : directory.empty() || !members.empty() || !universe.empty())
      throw Error(ErrorKind::usage,
                  "--members FILE and --universe FILE are required, or DIR and --shard");
    input.paths = members;
    if (!directory.empty()) input.paths = {directory};
  }

  /// A filter that is to refuse some keys is an exact set over these and its own.
  void resolve_excluded() {
    const bool fits =
        std::ranges::all_of(choices, [](const auto& one) { return one.first == "fpr"; });
    if (!fits || !shard.empty() || from.is_given() || duplicates == "count")
      throw Error(ErrorKind::usage, "of the options of a filter only --fpr can be used with --not");
    if (std::ranges::find(input.paths, "-") != input.paths.end())
      throw Error(ErrorKind::usage, "--not reads KEYS twice, which must be files");
    kind = kind_excluding;
    universe = excluded;
    universe.insert(universe.end(), input.paths.begin(), input.paths.end());
  }

  void resolve() {
    if (!excluded.empty()) resolve_excluded();
    if (has_universe) {
      resolve_universe();
    } else if (!input.command.empty()) {
      if (!input.paths.empty() || from.is_given() || !shard.empty())
        throw Error(ErrorKind::usage, "--again cannot be used with files, --from or --shard");
    } else if (shard.empty()) {
      require_inputs(input.paths, keys_name());
    }
    if (shard.empty() && !options.exchange.get.empty())
      throw Error(ErrorKind::usage, "--put and --get need --shard");
    group.put_in(input, formats);
    if (!rows && (input.format.row_column != 0 || !input.format.row_name.empty() ||
                  !input.format.json_row.empty()))
      throw Error(ErrorKind::usage, "--json-row and a third --column are for crivo build rows");
    if (group.is_given() && has_universe) choices["grouped"] = "1";
    if (!universe.empty())
      input.universe = std::make_shared<const KeyInput>(KeyInput{universe, input.format});
    const Seed parsed = parse_seed(seed);
    options.seed = parsed.number;
    options.notes = notes.parsed();
    options.keyed_hash = parsed.random;
    options.ignore_duplicates = duplicates != "error" && duplicates != "count";
    if (duplicates == "count") choices["count_duplicates"] = "1";
    if (duplicates == "last" || duplicates == "all") choices["repeated"] = duplicates;
    if (from.is_given() && shard.empty()) input = other_input();
    work.put_in(options.resources);
    options.resources.progress = &progress;
  }

  std::string kind;
  KeyInput input;
  bool has_universe = false;  ///< the kind has one
  std::string directory;      ///< with --shard
  std::vector<std::string> members;
  std::vector<std::string> universe;
  std::string kind_excluding;  ///< that is built with `excluded`, which must not be found
  std::vector<std::string> excluded;
  GroupOption group;
  FromOption from;
  bool records = false;  ///< the kind's input has some
  bool rows = false;     ///< likewise
  bool groups = false;   ///< likewise
  std::string output;
  std::string foreign_format;  ///< of others; empty: ours
  std::string shard;
  FormatOptions formats;
  std::string seed = std::to_string(kDefaultSeed);
  std::string duplicates = "error";
  std::vector<std::string> policies;  ///< that it may name
  NoteOptions notes;
  Choices choices;
  WorkOptions work;
  bool dry_run = false;
  BuildOptions options;
  ReportOptions reports;
  Progress progress;
};

/// As exact as an estimate is.
std::string rough_time(double seconds) {
  if (seconds < 1) return "less than a second";
  if (seconds < 100) return "about " + std::to_string(std::llround(seconds)) + " s";
  return "about " + std::to_string(std::llround(seconds / 60)) + " min";
}

int print_estimate(const BuildEstimate& estimate, const ReportOptions& reports) {
  if (!estimate.warning.empty()) print_warning({estimate.warning, "memory"});
  if (reports.json) {
    print_json({{"schema", 1},
                {"keys", estimate.keys},
                {"memory_bytes", estimate.memory_bytes},
                {"minimum_memory_bytes", estimate.minimum_memory_bytes},
                {"temp_bytes", estimate.temp_bytes},
                {"output_bytes", estimate.output_bytes},
                {"partitions", estimate.partitions},
                {"seconds_estimate", estimate.seconds}});
    return 0;
  }
  Output out;
  out.write("keys    " + std::to_string(estimate.keys) + "\n");
  out.write("memory  " + human_bytes(static_cast<double>(estimate.memory_bytes)) + ", at least " +
            human_bytes(static_cast<double>(estimate.minimum_memory_bytes)) + "\n");
  out.write("temp    " + human_bytes(static_cast<double>(estimate.temp_bytes)) + "\n");
  out.write("output  " + human_bytes(static_cast<double>(estimate.output_bytes)) + "\n");
  out.write("parts   " + std::to_string(estimate.partitions) + "\n");
  out.write("time    " + rough_time(estimate.seconds) + "\n");
  out.flush();
  return 0;
}

/// Throws Error(usage) for the directory of a partition, which is read in shards.
void refuse_partition(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code error;
    for (std::filesystem::directory_iterator at(path, error), end; !error && at != end;
         at.increment(error)) {
      const std::string name = at->path().filename().string();
      if (name.starts_with("keys-") && name.ends_with(".crv"))
        throw Error(ErrorKind::usage, path + ": is a partition, which is built in shards; use " +
                                          "--shard I/N, and then crivo merge");
    }
  }
}

/// Adds those of a kind.
void add_choices(CLI::App& command, std::string_view kind, Choices& choices) {
  const InGroup structure(command, kStructureGroup);
  std::map<std::string_view, CLI::Option*> added;
  const std::vector<Choice> rows = choices_of(kind);
  for (const Choice& row : rows) {
    if (row.option.empty()) continue;
    CLI::Option* option = added[row.name] = add_choice(command, row, choices);
    if (!row.instead_of.empty()) option->excludes(added.at(row.instead_of));
    if (!row.needs.empty()) option->needs(added.at(row.needs));
  }
}

/// Returns the names that --duplicates takes.
std::vector<std::string> policies_of(std::string_view kind) {
  std::vector<std::string> policies{"error", "ignore"};
  if (has_choice(kind, "count_duplicates")) policies.emplace_back("count");
  if (has_choice(kind, "repeated")) policies.insert(policies.end(), {"last", "all"});
  return policies;
}

/// Describes these names in --help.
void describe_policies(CLI::App& command, std::string_view kind) {
  CLI::Option* option = option_named(command, "--duplicates");
  if (has_choice(kind, "count_duplicates")) {
    option->description(
        "what to do with equal keys: error; ignore keeps one; count adds each one "
        "(counting-bloom)");
  } else if (has_choice(kind, "repeated")) {
    option->description(
        "what to do with equal keys: error; ignore keeps the first record; last the last; all "
        "joins them by LF");
  }
}

/// That keys are members though they were to be refused, which both inputs name. Those of a pipe
/// cannot be read again.
void warn_of_keys_in_both(const BuildCommand& command, std::vector<Warning>& warnings) try {
  if (command.excluded.empty() || !input_bytes(command.excluded)) return;
  const auto index = OpenIndex::open(command.output);
  std::uint64_t members = 0;
  Progress progress;
  read_keys({command.excluded, command.formats.format()}, progress, [&](const KeyBlock& block) {
    index->answer(block.keys,
                  [&](std::string_view, const Answer& answer) { members += answer.found ? 1 : 0; });
  });
  if (members == 0) return;
  warnings.push_back({"not: " + counted(members, "key") + " of " +
                          list_of({command.excluded.begin(), command.excluded.end()}) +
                          (members == 1 ? " is" : " are") +
                          " in KEYS, too; what both have is \"member\"",
                      "not"});
} catch (const Error& error) {  // no failure of the build, which is done
  warnings.push_back({error.what(), {}});
}

/// Runs what the command asks for with a progress line, and prints what came of it.
int run(BuildCommand& command) {
  command.resolve();
  if (command.shard.empty()) refuse_partition(command.input.paths);
  const std::string& kind = command.kind;
  if (!command.foreign_format.empty() && (command.dry_run || !command.shard.empty()))
    throw Error(ErrorKind::usage, "--format cannot be used with --dry-run or --shard");
  if (command.dry_run && command.shard.empty()) {
    check_output(kind, command.input, command.output, command.options);
    BuildEstimate result;
    {
      const ProgressLine line(command.progress, command.reports, command.input.paths);
      result = estimate(kind, command.input, command.choices, command.options);
    }
    return print_estimate(result, command.reports);
  }
  BuildSummary summary;
  if (!command.shard.empty()) {
    const Share shard = command.shard_to_build();
    const ProgressLine line(command.progress, command.reports);
    summary = build_part(kind, command.input.paths.front(), shard, command.output, command.choices,
                         command.options);
  } else {
    const ProgressLine line(command.progress, command.reports, command.input.paths);
    summary = command.foreign_format.empty()
                  ? build(kind, command.input, command.output, command.choices, command.options)
                  : foreign::build(command.foreign_format, command.input, command.output,
                                   command.choices, command.options);
    warn_of_keys_in_both(command, summary.warnings);
  }
  const bool whole = command.from.report(summary.warnings);
  const int code = report_built(summary, command.output, command.reports);
  return whole ? code : exit_code(ErrorKind::bad_input);
}

void add_kind(CLI::App& build, Action& action, std::string_view name) {
  const KindInfo& kind = *std::ranges::find(kinds(), name, &KindInfo::name);
  auto options = std::make_shared<BuildCommand>();
  CLI::App* command = build.add_subcommand(std::string(kind.name), std::string(kind.help));
  options->policies = policies_of(kind.name);
  options->add_to(*command, kind);
  describe_policies(*command, kind.name);
  if (topic_named(kind.name) != nullptr)
    command->footer("crivo help " + std::string(kind.name) +
                    " says when to use it, what it costs, and what may be wrong.");
  add_choices(*command, kind.name, options->choices);
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace

void add_build(CLI::App& app, Action&) {
  CLI::App* build = app.add_subcommand("build",
                                       "build an index from files of keys or records\n\n"
                                       "crivo build mphf --help, and so on, explains each kind.\n"
                                       "Example: crivo build mphf urls.txt -o urls.crv");
  build->require_subcommand(1);
}

std::span<const Command> build_commands() {
  static const std::vector<Command> kCommands = [] {
    std::vector<Command> commands;
    for (const KindInfo& kind : kinds())
      commands.push_back({.name = kind.name, .group = "Kinds", .add_named = add_kind});
    return commands;
  }();
  return kCommands;
}

}  // namespace crivo::cli
