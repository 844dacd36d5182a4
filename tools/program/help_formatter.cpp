// SPDX-License-Identifier: Apache-2.0
#include "program/help_formatter.hpp"

#include <sstream>
#include <string_view>
#include <vector>

#include "program/topics.hpp"
namespace crivo::cli {
namespace {

/// `text` with a line end in the place of spaces wherever a line would be longer than `columns`.
std::string wrapped(std::string_view text, std::size_t columns) {
  std::string lines;
  while (text.size() > columns) {
    const std::size_t space = text.rfind(' ', columns);
    if (space == std::string_view::npos) break;
    lines.append(text.substr(0, space)).append("\n");
    text.remove_prefix(space + 1);
  }
  return lines.append(text);
}

/// A command has the footer of the one above it, unless it sets another.
std::string own_footer(const CLI::App& command) {
  const std::string footer = command.get_footer();
  const CLI::App* parent = command.get_parent();
  if (footer.empty() || (parent != nullptr && footer == parent->get_footer())) return "";
  return "\n" + footer + "\n";
}

/// A group of options by their names, and the topic that explains it.
std::string by_name(const std::string& group, const Topic& topic,
                    const std::vector<const CLI::Option*>& options) {
  std::string names;
  for (const CLI::Option* option : options) {
    if (!names.empty()) names += " ";
    names += option->get_name(false, true);
  }
  std::string text = "\n" + group + " (see crivo help " + std::string(topic.name) + "):\n  ";
  for (const char c : wrapped(names, HelpFormatter::kColumns - 2)) {
    text += c;
    if (c == '\n') text += "  ";
  }
  return text + "\n";
}

}  // namespace

HelpFormatter::HelpFormatter(Groups groups) : groups_(groups) {
  label("SUBCOMMAND", "COMMAND");
}

std::string HelpFormatter::make_help(const CLI::App* command, std::string name,
                                     CLI::AppFormatMode mode) const {
  return make_description(command) + make_usage(command, std::move(name)) +
         make_positionals(command) + make_option_groups(command) + make_subcommands(command, mode) +
         own_footer(*command);
}

std::string HelpFormatter::make_option_groups(const CLI::App* command) const {
  std::string in_full;
  std::string named;
  for (const std::string& group : command->get_groups()) {
    const std::vector<const CLI::Option*> options = command->get_options(
        [&](const CLI::Option* o) { return o->get_group() == group && o->nonpositional(); });
    if (options.empty()) continue;
    const Topic* topic = groups_ == Groups::by_name ? topic_of_group(group) : nullptr;
    if (topic == nullptr) {
      in_full += make_group(group, false, options);
    } else {
      named += by_name(group, *topic, options);
    }
  }
  return in_full + named;
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  const std::string about = command->get_description();
  std::ostringstream line;
  CLI::detail::format_help(line, command->get_name(), about.substr(0, about.find('\n')),
                           column_width_);
  return line.str();
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  std::string text;
  if (option->get_type_size() == 0) return text;
  if (!option->get_type_name().empty()) text += " " + option->get_type_name();
  if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
  if (option->get_required()) text += " REQUIRED";
  return text;
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  return wrapped(option->get_description(), kColumns - column_width_);
}

}  // namespace crivo::cli
