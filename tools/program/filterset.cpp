// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "program/command.hpp"
#include "program/exit_code.hpp"
#include "program/from_option.hpp"
#include "program/group_option.hpp"
#include "program/input_paths.hpp"
#include "program/layers.hpp"

namespace crivo::cli {
namespace {

struct GroupsCommand final : LayersCommand {
  GroupOption group;
  FromOption from;

  GroupsCommand() : LayersCommand("group") {}
  void put_format() override {
    group.put_in(input, formats);
    if (from.is_given())
      input = from.grouped_input(input.paths, group.by_file, formats.format(), options);
  }
};

int add(GroupsCommand& command) {
  require_inputs(command.input.paths, "PAIRS");
  bool whole = true;
  const int code = command.run([&] {
    LayersChange done =
        add_groups(command.path, command.input, command.output, command.edit, command.options);
    whole = command.from.report(done.warnings);
    return done;
  });
  return whole ? code : exit_code(ErrorKind::bad_input);
}

int remove(GroupsCommand& command) {
  return command.run(
      [&] { return remove_groups(command.path, command.output, command.edit, command.options); });
}

int compact(GroupsCommand& command) {
  return command.run([&] { return compact_groups(command.path, command.edit, command.options); });
}

constexpr const char* kSet = "a filter set, or a chain of one";

}  // namespace

void add_filter_set_command(CLI::App& app, Action& action) {
  CLI::App* const sets = app.add_subcommand(
      "filterset",
      "add groups to a filter set, or remove them\n\n"
      "FILE becomes a chain of layers: each is a filter set of new groups, and lies beside the\n"
      "chain as CHAIN.N.groups. A query answers as one set of all groups would.\n"
      "Example: crivo filterset add files.crv new.tsv --remove old.parquet -o files.chain\n"
      "         crivo filterset add files.chain newer.tsv");
  sets->require_subcommand(1);

  auto adding = std::make_shared<GroupsCommand>();
  CLI::App* command = sets->add_subcommand(
      "add",
      "add new groups\n\n"
      "A group that the set has is refused (exit 3), unless it is removed in the same step. Type\n"
      "and rate are those of FILE. Keys of --from are added to a set of such keys alone.\n"
      "Example: crivo filterset add files.crv new.tsv --remove old.parquet -o files.chain");
  adding->add_path(*command, kSet);
  adding->add_pairs(*command,
                    "files of group and key, as of crivo build filterset; - is standard input");
  adding->group.add_to(*command);
  adding->group.add_by_file(*command);
  adding->from.add_to(*command);
  adding->add_removed(*command);
  adding->add_output(*command);
  adding->add_rest(*command);
  command->callback([adding, &action] { action = [adding] { return add(*adding); }; });

  auto removing = std::make_shared<GroupsCommand>();
  command =
      sets->add_subcommand("remove",
                           "remove groups: no key is in them any more\n\n"
                           "A name may come back.\n"
                           "Example: crivo filterset remove files.chain old.parquet older.parquet");
  removing->add_path(*command, kSet);
  removing->add_names(*command);
  removing->add_output(*command);
  removing->add_rest(*command);
  command->callback([removing, &action] { action = [removing] { return remove(*removing); }; });

  auto compacting = std::make_shared<GroupsCommand>();
  command = sets->add_subcommand("compact",
                                 "put all groups into one layer, while others read\n\n"
                                 "Filters are copied as they are, so no keys are needed.\n"
                                 "Example: crivo filterset compact files.chain");
  compacting->add_path(*command, "a chain");
  compacting->add_rest(*command);
  command->callback(
      [compacting, &action] { action = [compacting] { return compact(*compacting); }; });
  for (CLI::App* one : sets->get_subcommands({})) one->group(kOwnCommands);
}

}  // namespace crivo::cli
