// SPDX-License-Identifier: Apache-2.0
#include "program/usage.hpp"

#include <algorithm>

#include "crivo/error.hpp"
#include "program/topics.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

/// "crivo build mphf".
std::string path_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent == nullptr ? "" : path_of(*parent) + " ") + command.get_name();
}

std::string did_you_mean(const std::string& name) {
  return name.empty() ? "" : "; did you mean " + name + "?";
}

/// Where to read more.
std::string see_help(const CLI::App& command) {
  return " (see " + path_of(command) + " --help)";
}

std::string unknown_command(const CLI::App& parent, const std::string& word,
                            std::vector<std::string> names = {}) {
  for (const CLI::App* command : parent.get_subcommands({})) names.push_back(command->get_name());
  const std::string meant = nearest(word, names);
  const std::string unknown = "unknown command " + shown(word) + " of " + path_of(parent);
  const bool is_program = parent.get_parent() == nullptr;  // which has too many to list
  if (meant.empty() && !is_program) {
    return unknown + ": use " + list_of(names) + ", as in " +
           shown(path_of(parent) + " " + names.front() + " " + word);
  }
  return unknown + did_you_mean(meant);
}

std::string unknown_option(const CLI::App& command, const std::string& word) {
  const std::string given = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  constexpr std::size_t kLong = 40;
  return "unknown option " + (given.size() > kLong ? shown(given) : given) + " for " +
         path_of(command) + did_you_mean(given.starts_with("--") ? nearest(given, names) : "");
}

/// Returns what is wrong with the words that belong to `command` itself; empty if nothing is.
std::string fault_of(const CLI::App& command) {
  const std::vector<std::string> left = command.remaining();
  const bool needs_command =
      !command.get_subcommands({}).empty() && command.get_subcommands().empty();
  const auto option = std::ranges::find_if(
      left, [](const std::string& word) { return word.size() > 1 && word.starts_with('-'); });
  if (needs_command && !left.empty() && option != left.begin()) {
    return unknown_command(command, left.front());
  }
  if (option != left.end()) return unknown_option(command, *option);
  if (needs_command) return path_of(command) + " needs a command";
  return left.empty() ? "" : shown(left.front()) + " is one argument too many";
}

}  // namespace

std::string explain(const CLI::App& app, const std::string& error) {
  const CLI::App* command = &app;
  std::string fault = fault_of(*command);
  while (fault.empty() && !command->get_subcommands().empty()) {
    command = command->get_subcommands().back();
    fault = fault_of(*command);
  }
  return (fault.empty() ? error : fault) + see_help(*command);
}

std::string help(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  if (!command->get_subcommands({}).empty() && !command->remaining().empty()) {
    throw Error(ErrorKind::usage, fault_of(*command) + see_help(*command));
  }
  return app.help();
}

std::string help_of(const CLI::App& app, const std::vector<std::string>& words) {
  const Topic* topic = words.size() == 1 ? topic_named(words.front()) : nullptr;
  if (topic != nullptr) return page_of(*topic);
  std::vector<std::string> others;  // that the first word may have meant
  for (const Topic& one : topics()) others.emplace_back(one.name);
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    const std::vector<const CLI::App*> commands = command->get_subcommands({});
    const auto named =
        std::ranges::find(commands, word, [](const CLI::App* c) { return c->get_name(); });
    if (named == commands.end()) {
      throw Error(ErrorKind::usage, unknown_command(*command, word, others) + see_help(*command));
    }
    command = *named;
    others.clear();
  }
  return command->get_formatter()->make_help(command, path_of(*command),
                                             CLI::AppFormatMode::Normal);
}

}  // namespace crivo::cli
