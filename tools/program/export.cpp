// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "crivo/build/foreign.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

struct ExportCommand {
  std::string format;
  std::vector<std::string> paths;
  std::string output;
  BuildOptions options;
};

int export_files(const ExportCommand& command) {
  foreign::write_clubcard_index(
      std::vector<std::filesystem::path>(command.paths.begin(), command.paths.end()),
      command.output, command.options);
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExportCommand>();
  CLI::App* command = app.add_subcommand(
      "export",
      "write what files say in a format of others\n\n"
      "clubcard-index is upki's index.bin: it names the clubcards of its directory, and the logs "
      "and\ntimes that each covers.\n"
      "Example: crivo export clubcard-index site/base.filter site/day1.delta -o site/index.bin");
  command->add_option("FORMAT", options->format, "clubcard-index")
      ->required()
      ->transform(one_of({"clubcard-index"}));
  command->add_option("FILES", options->paths, "clubcards, in the order in which they are asked")
      ->required()
      ->transform(mapped_path());
  command->add_option("-o,--output", options->output, "what to write")
      ->required()
      ->type_name("PATH")
      ->transform(output_path());
  add_force(*command, options->options.replace);
  command->callback([options, &action] { action = [options] { return export_files(*options); }; });
}

}  // namespace crivo::cli
