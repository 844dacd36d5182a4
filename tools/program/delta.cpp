// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "crivo/build/edit.hpp"
#include "crivo/build/shards.hpp"
#include "crivo/error.hpp"
#include "program/build_report.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/group_option.hpp"
#include "program/progress_line.hpp"
#include "program/trust_options.hpp"
#include "program/values.hpp"
#include "program/work_options.hpp"

namespace crivo::cli {
namespace {

struct DeltaCommand {
  std::string set;
  std::string directory;  ///< with --shard
  std::string shard;
  KeyInput members;
  std::vector<std::string> universe;
  std::vector<std::string> added;  ///< to a filter
  GroupOption group;
  FormatOptions formats;
  DeltaOptions delta;
  FilterDeltaOptions layer;
  std::string output;
  std::string duplicates = "error";
  WorkOptions work;
  BuildOptions options;
  ReportOptions reports;
  Progress progress;
};

/// Writes the delta of a filter. Throws Error(usage) for options of exact sets.
BuildSummary write_added(DeltaCommand& command) {
  if (!command.directory.empty() || !command.shard.empty() || !command.members.paths.empty() ||
      !command.universe.empty() || command.group.is_given() || command.delta.strict ||
      !command.delta.group_delimiter.empty() || !command.delta.covers.empty())
    throw Error(ErrorKind::usage,
                "--added adds keys to a filter; it cannot be used with --members, --universe, "
                "--group or --shard");
  return build_filter_delta(command.set, {command.added, command.formats.format()}, command.output,
                            command.layer, command.options);
}

/// Writes a shard's part of a delta. Throws Error(usage) for options of the input.
BuildSummary write_part(DeltaCommand& command) {
  if (command.directory.empty() || !command.members.paths.empty() || !command.universe.empty() ||
      command.group.is_given() || command.formats.format() != KeyFormat{} ||
      !command.delta.group_delimiter.empty() || command.duplicates != "error" ||
      !command.options.resume_dir.empty())
    throw Error(ErrorKind::usage,
                "--shard needs DIR, and no other input or option of one: give those to crivo "
                "partition");
  const Numbered shard = parse_share(command.shard);
  return build_delta_part(command.set, command.directory, {shard.index, shard.count},
                          command.output, command.delta, command.options);
}

/// Writes the whole delta.
BuildSummary write_whole(DeltaCommand& command) {
  if (!command.directory.empty() || command.members.paths.empty() || command.universe.empty())
    throw Error(ErrorKind::usage,
                "--members FILE and --universe FILE are required, or DIR and --shard; of a filter "
                "--added FILE");
  const KeyInput universe{command.universe, command.members.format};
  return build_delta(command.set, command.members, universe, command.output, command.delta,
                     command.options);
}

int write_delta(DeltaCommand& command) {
  command.members.format = command.group.format(command.formats);
  command.options.ignore_duplicates = command.duplicates == "ignore";
  command.work.put_in(command.options.resources);
  command.options.resources.progress = &command.progress;
  BuildSummary summary;
  {
    const bool adds = !command.added.empty();
    if (!adds && command.layer.fpr) throw Error(ErrorKind::usage, "--fpr needs --added");
    const ProgressLine line(command.progress, command.reports,
                            adds ? command.added : command.members.paths);
    summary = adds                    ? write_added(command)
              : command.shard.empty() ? write_whole(command)
                                      : write_part(command);
  }
  return report_built(summary, command.output, command.reports);
}

struct ChainCommand {
  std::string set;
  std::vector<std::string> deltas;
  std::string output;
  TrustOptions trust;
  bool force = false;
  ReportOptions reports;

  std::vector<std::filesystem::path> paths() const { return {deltas.begin(), deltas.end()}; }
};

int report_deltas(const DeltaSummary& summary, const ReportOptions& reports, bool is_chain) {
  return report_published(summary.warnings, reports.quiet, [&] {
    if (reports.json) {
      Json json{{"schema", 1},
                {"kind", is_chain ? "chain" : "delta"},
                {"keys", summary.members},
                {"bytes", summary.bytes},
                {"deltas", summary.deltas},
                {"flips", summary.flips},
                {"state", summary.state}};
      if (is_chain) {
        json["base_bytes"] = summary.base_bytes;
        json["delta_bytes"] = summary.delta_bytes;
        json["rebase"] = summary.rebase;
        if (summary.fpr != 0) json["fpr"] = summary.fpr;
      }
      print_json(json);
      return;
    }
    if (reports.quiet) return;
    const std::string flips =
        summary.flips == 0 ? "" : counted(summary.flips, "changed answer") + ", ";
    print_line(summary.output.string() + ": " + counted(summary.deltas, "delta") + ", " + flips +
               counted(summary.members, "member") + ", " +
               human_bytes(static_cast<double>(summary.bytes)) +
               (summary.fpr != 0 ? "; false positives: " + percent(summary.fpr) : ""));
    if (summary.rebase) {
      print_line(std::string(summary.is_long ? "the deltas take more than a quarter of the base"
                                             : "it errs more than twice as often as the base") +
                 ": a new base serves better");
    }
  });
}

}  // namespace

void add_diff(CLI::App& app, Action& action) {
  auto options = std::make_shared<DeltaCommand>();
  CLI::App* command = app.add_subcommand(
      "diff",
      "write the changes of an exact set or a filter\n\n"
      "The delta leads from PATH, a set, a filter or a chain, to the new state. --members names "
      "all\nmembers, not only new ones; the universe may have grown. A delta takes some bytes for "
      "each\nkey whose answer changes. --added may name a whole list: keys that the filter holds "
      "are left\nout. Without --fpr, all deltas together make a filter err at most twice as "
      "often.\nExample: crivo diff set.crv --members revoked.txt --universe all.txt -o day1.crv\n"
      "         crivo apply set.crv day1.crv -o chain.crv && crivo query chain.crv keys.txt\n"
      "         crivo diff filter.crv --added new.txt -o day1.crv");
  command->add_option("PATH", options->set, "an exact set, a filter, or a chain of either")
      ->required()
      ->transform(mapped_path());
  command->add_option("DIR", options->directory,
                      "with --shard: the directory that crivo partition wrote");
  command
      ->add_option("--shard", options->shard,
                   "write part I of N from DIR; crivo merge joins the parts to the delta")
      ->type_name("I/N")
      ->transform(share_value());
  command
      ->add_option("--members", options->members.paths,
                   "files of the members of the new set, read in order as one")
      ->type_name("FILE");
  command
      ->add_option("--universe", options->universe,
                   "files of all keys that will be asked, with the members or without; - is "
                   "standard input, for one of the two")
      ->type_name("FILE");
  command
      ->add_option("--added", options->added,
                   "filter: files of the keys to add, read in order as one; - is standard input")
      ->type_name("FILE");
  command
      ->add_option("--fpr", options->layer.fpr,
                   "with --added: the highest false-positive rate of what is added: 0.001, 0.1% "
                   "or 1/1000; default: the I-th delta has 1 / (I (I + 1)) of the filter's")
      ->type_name("P")
      ->transform(rate_value());
  options->group.add_to(*command);
  command
      ->add_option("--group-delimiter", options->delta.group_delimiter,
                   "each key begins with the name of its group, up to the first of this character")
      ->type_name("C");
  command
      ->add_option("--covers", options->delta.covers,
                   "what the universe covers now, beside what it covered before")
      ->type_name("NAME=LOW:HIGH");
  command->add_flag("--strict", options->delta.strict,
                    "refuse members that are not in the universe");
  command->add_option("-o,--output", options->output, "the delta to write")
      ->required()
      ->type_name("PATH")
      ->transform(output_path());
  options->formats.add_to(*command);
  command
      ->add_option("--duplicates", options->duplicates,
                   "what to do with equal members or added keys: error or ignore")
      ->transform(one_of({"error", "ignore"}))
      ->capture_default_str();
  options->work.add_to(*command);
  add_resume(*command, options->options.resume_dir);
  add_allow_empty_set(*command, options->options.allow_empty_set);
  add_force(*command, options->options.replace);
  options->reports.add_to(*command);
  command->callback([options, &action] { action = [options] { return write_delta(*options); }; });
}

void add_squash(CLI::App& app, Action& action) {
  auto options = std::make_shared<ChainCommand>();
  CLI::App* command = app.add_subcommand(
      "squash",
      "join consecutive deltas\n\n"
      "The result leads to the same state, and the next delta follows it. It is about as large "
      "as\nthe deltas together.\nExample: crivo squash day1.crv day2.crv day3.crv -o days.crv");
  command->add_option("DELTA", options->deltas, "deltas in their order, two or more")
      ->required()
      ->transform(mapped_path());
  command->add_option("-o,--output", options->output, "the delta to write")
      ->required()
      ->type_name("PATH")
      ->transform(mapped_path());
  add_force(*command, options->force);
  options->reports.add_to(*command);
  command->callback([options, &action] {
    action = [options] {
      return report_deltas(squash_deltas(options->paths(), options->output, options->force),
                           options->reports, false);
    };
  });
}

void add_apply(CLI::App& app, Action& action) {
  auto options = std::make_shared<ChainCommand>();
  CLI::App* command =
      app.add_subcommand("apply",
                         "make a chain of a set or a filter and its deltas\n\n"
                         "A chain is a small file that names a base and deltas in its folder, or "
                         "below it. It is\nqueried like its base. Without -o, PATH is a chain, "
                         "which is extended in place. The exit code\nis 4 if a delta has another "
                         "base, is out of order or damaged; then nothing changes.\nExample: crivo "
                         "apply set.crv day1.crv -o chain.crv && crivo apply chain.crv day2.crv");
  command->add_option("PATH", options->set, "an exact set, a filter, or a chain of either")
      ->required()
      ->transform(mapped_path());
  command->add_option("DELTA", options->deltas, "deltas in their order")
      ->required()
      ->transform(mapped_path());
  command->add_option("-o,--output", options->output, "the chain to write; default: PATH, a chain")
      ->type_name("PATH")
      ->transform(mapped_path());
  options->trust.add_to(*command);
  add_force(*command, options->force);
  options->reports.add_to(*command);
  command->callback([options, &action] {
    action = [options] {
      const std::string& output = options->output.empty() ? options->set : options->output;
      const DeltaSummary summary =
          apply_deltas(options->set, options->paths(), output,
                       {.replace = options->force, .trust = options->trust.trust()});
      return report_deltas(summary, options->reports, true);
    };
  });
}

}  // namespace crivo::cli
