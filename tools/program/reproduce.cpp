// SPDX-License-Identifier: Apache-2.0
#include "crivo/build/reproduce.hpp"

#include <iostream>
#include <memory>

#include "crivo/build/kinds.hpp"
#include "crivo/error.hpp"
#include "program/choice_options.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/exit_code.hpp"
#include "program/group_option.hpp"
#include "program/input_paths.hpp"
#include "program/progress_line.hpp"
#include "program/values.hpp"
#include "program/work_options.hpp"

namespace crivo::cli {
namespace {

struct ReproduceCommand {
  std::string path;
  KeyInput input;
  std::vector<std::string> members;
  std::vector<std::string> universe;
  GroupOption group;
  FormatOptions formats;
  ReproduceOptions options;
  WorkOptions work;
  ReportOptions reports;
};

std::string place_of(const Difference& difference) {
  const std::string chunk = "chunk " + std::to_string(difference.chunk);
  return escape(difference.file) + ": differs from byte " + std::to_string(difference.byte) +
         " on (" +
         (difference.section.empty() ? chunk : "section " + difference.section + ", " + chunk) +
         ")";
}

int reproduce_file(ReproduceCommand& command) {
  KeyInput& input = command.input;
  if (input.paths.empty() == command.members.empty())
    throw Error(ErrorKind::usage, "name the files of KEYS, or of an exact set --members");
  if (input.paths.empty()) input.paths = command.members;
  command.group.put_in(input, command.formats);
  if (!command.universe.empty())
    input.universe = std::make_shared<const KeyInput>(KeyInput{command.universe, input.format});
  command.work.put_in(command.options.resources);
  Progress progress;
  command.options.resources.progress = &progress;
  Reproduction result;
  {
    const ProgressLine line(progress, command.reports, input.paths);
    result = reproduce(command.path, input, command.options);
  }
  if (!command.reports.quiet) std::ranges::for_each(result.warnings, print_warning);
  const std::optional<Difference>& difference = result.difference;
  if (command.reports.json) {
    Json json{{"schema", 1},
              {"same", !difference},
              {"kind", result.kind},
              {"keys", result.keys},
              {"build_id", result.build_id}};
    json["compared"] = Json::array();
    for (const std::string& file : result.compared) json["compared"].push_back(file);
    if (difference) {
      json["difference"] = {{"file", difference->file},
                            {"section", difference->section},
                            {"chunk", difference->chunk},
                            {"byte", difference->byte}};
    }
    print_json(json);
  } else if (difference) {
    std::cerr << "crivo: " << place_of(*difference) << '\n';
  } else if (!command.reports.quiet) {
    std::cerr << "the same: ";
    for (const std::string& file : result.compared)
      std::cerr << (&file == &result.compared.front() ? "" : ", ") << escape(file);
    std::cerr << '\n';
  }
  return difference ? exit_code(ErrorKind::mismatch) : 0;
}

}  // namespace

void add_reproduce(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReproduceCommand>();
  CLI::App* command = app.add_subcommand(
      "reproduce",
      "build a file again from its keys, and compare\n\n"
      "The file records its seed, options and notes. Of a store, data file and index "
      "are\ncompared, but not its updates. The exit code is 1 if the keys or a byte "
      "differ.\nExample: crivo reproduce urls.crv urls.txt\n"
      "         crivo reproduce set.crv --members revoked.txt --universe all.txt");
  command->add_option("PATH", options->path, "an index file, or a store's directory")
      ->required()
      ->transform(mapped_path());
  CLI::Option* keys = add_input_paths(
      *command, "KEYS", options->input.paths,
      "the files (of records, for a store; of values, for a map of values) that PATH was built "
      "from, read in order as one; - is standard input");
  command->add_option("--members", options->members, "exact: instead of KEYS")
      ->excludes(keys)
      ->type_name("FILE");
  command->add_option("--universe", options->universe, "exact: the universe")
      ->needs(option_named(*command, "--members"))
      ->type_name("FILE");
  options->group.add_to(*command);
  options->group.add_by_file(*command);
  options->formats.add_to(*command);
  for (const KindInfo& kind : kinds()) {
    for (const Choice& row : choices_of(kind.name)) {
      if (row.recorded == Recorded::nowhere && !row.option.empty() && row.name != "strict")
        add_choice(*command, row, options->options.choices);
    }
  }
  options->work.add_to(*command);
  options->reports.add_to(*command);
  command->callback(
      [options, &action] { action = [options] { return reproduce_file(*options); }; });
}

}  // namespace crivo::cli
