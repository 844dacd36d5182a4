// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "crivo/build/sort.hpp"
#include "crivo/error.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/input_paths.hpp"
#include "program/progress_line.hpp"
#include "program/values.hpp"
#include "program/work_options.hpp"

namespace crivo::cli {
namespace {

struct DedupCommand {
  std::vector<std::string> paths;
  std::string seen;
  std::string output;  ///< empty: standard output
  std::string part;
  WorkOptions work;
  DedupOptions options;
  ReportOptions reports;
  Progress progress;
};

DedupSummary dedup_texts(DedupCommand& command, Output& out) {
  const ProgressLine line(command.progress, command.reports, command.paths);
  if (!command.output.empty()) return dedup(command.paths, command.output, command.options);
  const auto write = [&](std::span<const std::byte> bytes) {
    out.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    out.flush();
  };
  return dedup(command.paths, crivo::Output::to(write), command.options);
}

Json summary_json(const DedupSummary& summary) {
  Json json{{"schema", 1},
            {"texts", summary.texts},
            {"kept", summary.kept},
            {"other_parts", summary.other_parts},
            {"bytes", summary.bytes}};
  if (summary.layers != 0) {
    json["seen"] = summary.seen;
    json["capacity"] = summary.capacity;
    json["layers"] = summary.layers;
    json["fpr"] = summary.fpr;
  }
  json["threads"] = summary.threads;
  json["seconds"] = summary.seconds;
  json["temp_bytes"] = summary.temp_bytes;
  json["peak_rss_bytes"] = peak_rss_bytes();
  return json;
}

void print_for_people(const DedupCommand& command, const DedupSummary& summary) {
  print_line(command.output + ": " + std::to_string(summary.kept) + " of " +
             counted(summary.texts - summary.other_parts,
                     command.options.paragraphs ? "paragraph" : "line"));
  if (summary.layers == 0) return;
  print_line(command.seen + ": " + std::to_string(summary.seen) + " seen, room for " +
             std::to_string(summary.capacity) + "; a new one is dropped at a rate of " +
             percent(summary.fpr));
}

void print_summary(const DedupCommand& command, const DedupSummary& summary) {
  if (command.reports.json) {
    print_json(summary_json(summary));
  } else if (!command.reports.quiet && !command.output.empty()) {
    print_for_people(command, summary);
  }
}

int dedup_command(DedupCommand& command) {
  if (command.reports.json && command.output.empty())
    throw Error(ErrorKind::usage, "--json needs -o FILE, since lines go to standard output");
  if (command.options.exact == !command.seen.empty())
    throw Error(ErrorKind::usage, "give --seen FILTER, or else --exact");
  if (command.paths.empty()) command.paths = {"-"};
  if (!command.part.empty()) {
    const Numbered part = parse_share(command.part);
    command.options.part = part.index;
    command.options.parts = part.count;
  }
  command.options.seen = command.seen;
  command.work.put_in(command.options.resources);
  command.options.resources.progress = &command.progress;
  Output out;
  const DedupSummary summary = dedup_texts(command, out);
  return report_published(summary.warnings, command.reports.quiet,
                          [&] { print_summary(command, summary); });
}

void add_options(CLI::App& command, DedupCommand& options) {
  add_input_paths(command, "FILE", options.paths,
                  "input files, read as one; default standard input");
  command
      .add_option("--seen", options.seen,
                  "the filter of lines that were seen; created if it does not exist")
      ->type_name("FILTER")
      ->transform(output_path());
  command
      .add_option("--capacity", options.options.capacity,
                  "the most lines that a new filter has room for")
      ->type_name("N")
      ->transform(count_value(1));
  command
      .add_option("--fpr", options.options.fpr,
                  "the highest rate at which a new line is dropped; default 1e-6")
      ->type_name("P")
      ->transform(rate_value());
  command.add_flag("--grow", options.options.grow,
                   "add a layer, with half the rate, when the filter is full");
  command.add_flag("--paragraphs", options.options.paragraphs,
                   "units are paragraphs between empty lines, not lines");
  command
      .add_option("--part", options.part,
                  "only lines of part J of M by their hash; each part has its own filter")
      ->type_name("J/M")
      ->transform(share_value());
  command.add_flag("--exact", options.options.exact,
                   "no filter and no errors: sort all lines, and write the first of equal ones");
  command.add_option("-o,--output", options.output, "the file to write; default standard output")
      ->type_name("FILE")
      ->transform(output_path());
  options.work.add_to(command);
  add_force(command, options.options.replace);
  options.reports.add_to(command);
}

}  // namespace

void add_dedup(CLI::App& app, Action& action) {
  auto options = std::make_shared<DedupCommand>();
  CLI::App* command = app.add_subcommand(
      "dedup",
      "write the lines that were not seen before\n\n"
      "The first run makes the filter, and each run adds to it. New lines are dropped at most "
      "at\nthe rate --fpr. If the filter is full, nothing is written or added (exit 3), unless "
      "--grow is\ngiven. A run that is killed leaves the filter as it was.\nExample: crivo dedup "
      "a.txt b.txt.zst --seen seen.crv --capacity 100M > new.txt");
  add_options(*command, *options);
  command->callback([options, &action] { action = [options] { return dedup_command(*options); }; });
}

}  // namespace crivo::cli
