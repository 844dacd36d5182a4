// SPDX-License-Identifier: Apache-2.0
#include "program/layers.hpp"

#include "program/command.hpp"
#include "program/input_paths.hpp"
#include "program/values.hpp"

namespace crivo::cli {

void LayersCommand::add_path(CLI::App& command, const char* help) {
  command.add_option("FILE", path, help)->required()->transform(mapped_path());
}

void LayersCommand::add_pairs(CLI::App& command, const char* help) {
  add_input_paths(command, "PAIRS", input.paths, help);
  formats.add_to(command, false);
  work.add_to(command);
}

void LayersCommand::add_removed(CLI::App& command) {
  command
      .add_option("--remove", edit.removed,
                  "a " + noun + " that is no more; may be given more than once")
      ->type_name("NAME")
      ->type_size(1)
      ->allow_extra_args(false);
}

void LayersCommand::add_names(CLI::App& command) {
  const std::string help = noun + "s that are no more, by name";
  add_input_paths(command, "NAME", edit.removed, help);
  option_named(command, "NAME")->required();
}

void LayersCommand::add_output(CLI::App& command) {
  command
      .add_option("-o,--output", output,
                  "the chain to write; without it FILE, which is a chain, is changed in place")
      ->type_name("CHAIN")
      ->transform(output_path());
}

void LayersCommand::add_rest(CLI::App& command) {
  command.add_option("--snapshot", edit.snapshot, "a name of what the chain is now")
      ->type_name("NAME");
  notes.add_to(command);
  add_force(command, options.replace);
  reports.add_to(command);
}

void LayersCommand::resolve() {
  if (output.empty()) output = path;
  options.notes = notes.parsed();
  put_format();
  work.put_in(options.resources);
}

int LayersCommand::report(const LayersChange& done) const {
  return report_published(done.warnings, reports.quiet, [&] {
    if (reports.json) {
      const std::string names = noun + "s";
      Json json{{"schema", 1},         {"kind", "chain"},     {"keys", done.keys},
                {"added", done.added}, {"bytes", done.bytes}, {"layers", done.layers}};
      json[names] = done.names;
      json["removed_" + names] = done.removed_names;
      json["state"] = done.state;
      print_json(json);
    } else if (!reports.quiet) {
      print_line(
          done.output.string() + ": " + counted(done.layers, "layer") + ", " +
          counted(done.keys, "key") +
          (done.added != 0 ? " (" + std::to_string(done.added) + " new)" : "") + ", " +
          counted(done.names, noun) +
          (done.removed_names != 0 ? " (" + std::to_string(done.removed_names) + " removed)" : "") +
          ", " + human_bytes(static_cast<double>(done.bytes)));
    }
  });
}

}  // namespace crivo::cli
