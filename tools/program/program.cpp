// SPDX-License-Identifier: Apache-2.0
#include "program/program.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/error.hpp"
#include "crivo/version.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/exit_code.hpp"
#include "program/help_formatter.hpp"
#include "program/report_error.hpp"
#include "program/topics.hpp"
#include "program/usage.hpp"

namespace crivo::cli {
namespace {

/// Prints `text` as the answer to what was asked.
Action print(std::string text) {
  return [text = std::move(text)] {
    Output out;
    out.write(text);
    out.flush();
    return 0;
  };
}

/// Lists the commands for a bare `crivo`: not as data but as what was wrong with the call.
Action list_commands(std::string text) {
  return [text = std::move(text)] {
    std::cerr << text;
    return exit_code(ErrorKind::usage);
  };
}

/// Whether errors are to be JSON: also those of a command line that cannot be read to its end.
bool wants_json(std::span<const char* const> arguments) {
  for (const std::string_view argument : arguments) {
    if (argument == "--") return false;
    if (argument == "--json") return true;
  }
  return false;
}

constexpr const char* kBuild = "Build";
constexpr const char* kAsk = "Ask";
constexpr const char* kChange = "Change";
constexpr const char* kShip = "Ship";
constexpr const char* kMachines = "Build on many machines";
constexpr const char* kTools = "Tools";

/// In the order of the help.
constexpr Command kCommands[] = {{"build", kBuild, add_build, build_commands},
                                 {"reproduce", kBuild, add_reproduce},
                                 {"query", kAsk, add_query},
                                 {"get", kAsk, add_get},
                                 {"info", kAsk, add_info},
                                 {"verify", kAsk, add_verify},
                                 {"dump", kAsk, add_dump},
                                 {"bench", kAsk, add_bench},
                                 {"filter", kChange, add_filter_command, filter_commands},
                                 {"store", kChange, add_store_command},
                                 {"rows", kChange, add_rows_command},
                                 {"filterset", kChange, add_filter_set_command},
                                 {"diff", kChange, add_diff},
                                 {"squash", kChange, add_squash},
                                 {"apply", kChange, add_apply},
                                 {"sign", kShip, add_sign},
                                 {"publish", kShip, add_publish},
                                 {"fetch", kShip, add_fetch},
                                 {"export", kShip, add_export},
                                 {"partition", kMachines, add_partition},
                                 {"merge", kMachines, add_merge},
                                 {"manifest", kMachines, add_manifest},
                                 {"sort", kTools, add_sort},
                                 {"extract", kTools, add_extract},
                                 {"dedup", kTools, add_dedup},
                                 {"gen", kTools, add_gen}};

/// Adds the command that is asked for, if `arguments` begin with one of `commands`, and of its own
/// likewise; else all, of which the user is told. To make all options takes longer than a lookup
/// does, and a file may be named as a command.
void add_commands(CLI::App& app, Action& action, std::span<const Command> commands,
                  std::span<const std::string> arguments) {
  const auto is_asked = [&](const Command& command) {
    return !arguments.empty() && command.name == arguments.front();
  };
  const bool all = std::ranges::none_of(commands, is_asked);
  for (const Command& command : commands) {
    if (!all && !is_asked(command)) continue;
    if (command.add_named != nullptr) {
      command.add_named(app, action, command.name);
    } else {
      command.add(app, action);
    }
    app.get_subcommand(std::string(command.name))->group(command.group);
    if (command.own == nullptr) continue;
    const std::size_t named = all ? arguments.size() : 1;
    add_commands(*app.get_subcommand(std::string(command.name)), action, command.own(),
                 arguments.subspan(named));
  }
}

}  // namespace

Action parse(std::vector<std::string> arguments) {
  const std::string version = std::string("crivo ") + crivo::version() + "\n";
  // Scripts ask for it before all else: that needs no command's options.
  if (arguments.size() == 1 && arguments[0] == "--version") return print(version);
  CLI::App app{
      "Builds indexes over large key sets: checked files that are mapped for lookups.\n\n"
      "Example: crivo build mphf urls.txt -o urls.crv && crivo query urls.crv more.txt",
      "crivo"};
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("-V,--version", version);
  app.require_subcommand(1);
  app.footer(
      "crivo COMMAND --help explains a command, with an example. crivo help TOPIC\n"
      "explains mphf, filter, filterset, map, rows, store, dictionary, exact, input,\n"
      "opening, resources, output or exit-codes. Lines in messages count from 1;\n"
      "ranks, rows and a map's line numbers from 0.");
  // So that `--help COMMAND` is `help COMMAND`.
  if (arguments.size() > 1 && (arguments[0] == "--help" || arguments[0] == "-h") &&
      !arguments[1].starts_with('-'))
    arguments[0] = "help";
  Action action;
  add_commands(app, action, kCommands, arguments);
  std::vector<std::string> topic;
  CLI::App* help_command = app.add_subcommand("help",
                                              "explain a command or a topic\n\n"
                                              "Example: crivo help build mphf\n"
                                              "         crivo help exit-codes");
  help_command->group(kTools);
  help_command->add_option("TOPIC", topic, "a command, and one of its own; or a topic");
  help_command->footer(list_of_topics());
  help_command->callback([&] { action = print(help_of(app, topic)); });
  app.add_subcommand("version", "print the version, as --version does\n\nExample: crivo version")
      ->group(kTools)
      ->callback([&] { action = print(version); });
  if (arguments.empty()) return list_commands(app.help());
  try {
    std::ranges::reverse(arguments);  // as the parser takes them
    app.parse(std::move(arguments));
  } catch (const CLI::CallForVersion&) {
    return print(version);
  } catch (const CLI::Success&) {
    return print(help(app));
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::usage, explain(app, error.what()));
  }
  return action;
}

int run(int argc, const char* const* argv) {
  const std::span arguments(argv + std::min(argc, 1), argv + argc);
  try {
    return parse({arguments.begin(), arguments.end()})();
  } catch (const std::exception& error) {
    return report_error(error, wants_json(arguments));
  }
}

}  // namespace crivo::cli
