// SPDX-License-Identifier: Apache-2.0
#include "crivo/build/sort.hpp"

#include <memory>
#include <string>

#include "program/command.hpp"
#include "program/common.hpp"
#include "program/input_paths.hpp"
#include "program/progress_line.hpp"
#include "program/values.hpp"
#include "program/work_options.hpp"

namespace crivo::cli {
namespace {

struct SortCommand {
  KeyInput input;
  std::string output;
  FormatOptions formats;
  WorkOptions work;
  SortOptions options;
  ReportOptions reports;
  Progress progress;
};

int print_summary(const SortSummary& summary, const SortCommand& command) {
  return report_published(summary.warnings, command.reports.quiet, [&] {
    if (command.reports.json) {
      print_json({{"schema", 1},
                  {"keys", summary.keys},
                  {"written", summary.written},
                  {"bytes", summary.bytes},
                  {"threads", summary.threads},
                  {"seconds", summary.seconds},
                  {"temp_bytes", summary.temp_bytes},
                  {"peak_rss_bytes", peak_rss_bytes()}});
    } else if (!command.reports.quiet) {
      print_line(command.output + ": " + std::to_string(summary.written) + " of " +
                 counted(summary.keys, "key") + ", " +
                 human_bytes(static_cast<double>(summary.bytes)));
    }
  });
}

int sort(SortCommand& command) {
  require_inputs(command.input.paths, "KEYS");
  command.input.format = command.formats.format();
  command.work.put_in(command.options.resources);
  command.options.resources.progress = &command.progress;
  SortSummary summary;
  {
    const ProgressLine line(command.progress, command.reports, command.input.paths);
    summary = sort_keys(command.input, command.output, command.options);
  }
  return print_summary(summary, command);
}

}  // namespace

void add_sort(CLI::App& app, Action& action) {
  auto options = std::make_shared<SortCommand>();
  CLI::App* command = app.add_subcommand(
      "sort",
      "write keys in byte order, within --memory\n\n"
      "The output is that of LC_ALL=C sort. It does not depend on --threads or --memory.\n"
      "Example: crivo sort urls.txt.gz -o sorted.txt --unique");
  add_input_paths(*command, "KEYS", options->input.paths,
                  "input files, read as one; - or none is standard input");
  command->add_option("-o,--output", options->output, "the file to write")
      ->required()
      ->type_name("FILE")
      ->transform(output_path());
  command->add_flag("-u,--unique", options->options.unique, "write equal keys once");
  command->add_flag("-c,--count", options->options.count,
                    "write each distinct key once, as key<TAB>how often it is there");
  command->add_flag("--null-output", options->options.null_output,
                    "end each key with NUL instead of LF");
  options->formats.add_to(*command);
  options->work.add_to(*command);
  add_force(*command, options->options.replace);
  options->reports.add_to(*command);
  command->callback([options, &action] { action = [options] { return sort(*options); }; });
}

}  // namespace crivo::cli
