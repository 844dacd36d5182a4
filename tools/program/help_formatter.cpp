// SPDX-License-Identifier: Apache-2.0
#include "program/help_formatter.hpp"

#include <sstream>
#include <string_view>

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

}  // namespace

HelpFormatter::HelpFormatter() {
  label("SUBCOMMAND", "COMMAND");
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
