// SPDX-License-Identifier: Apache-2.0
#include "program/choice_options.hpp"

#include <string>

#include "crivo/error.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

/// The validator of a choice's values.
CLI::Validator validator_of(const Choice& row) {
  switch (row.type) {
    case ChoiceType::rate:
      return rate_value();
    case ChoiceType::number:
      return decimal_value();
    case ChoiceType::bytes:
      return size_value(row.low, row.high);
    case ChoiceType::count:
      return row.numbers.empty() ? count_value(row.low, row.high) : one_of(row.numbers);
    case ChoiceType::text:
    case ChoiceType::name:
    case ChoiceType::flag:
      break;
  }
  return one_of(row.names());
}

/// Whether the names that can be given leave no room for the default on their line of --help.
bool has_long_names(const Choice& row) {
  constexpr std::size_t kMost = 72;
  if (row.type != ChoiceType::name) return false;
  std::size_t size = 0;
  for (const std::string_view name : row.names()) size += name.size() + 1;
  return size > kMost;
}

/// Whether a default is one of the values that can be given, and not left to the structure.
bool shows_default(const Choice& row) {
  if (row.type == ChoiceType::name) return !has_long_names(row);
  if (row.type != ChoiceType::count && row.type != ChoiceType::bytes) return false;
  const auto value = parse_count(row.initial);
  return !row.numbers.empty() || (value >= row.low && value <= row.high);
}

}  // namespace

CLI::Option* add_choice(CLI::App& command, const Choice& row, Choices& choices) {
  const std::string option = "--" + std::string(row.option);
  std::string help(row.help);
  if (has_long_names(row)) help += "; default " + row.initial;
  const std::string name(row.name);
  if (row.type == ChoiceType::flag)
    return command.add_flag_callback(
        option, [&choices, name] { choices[name] = "1"; }, help);
  CLI::Option* added = command.add_option_function<std::string>(
      option, [&choices, name](const std::string& value) { choices[name] = value; }, help);
  if (row.type != ChoiceType::name) added->type_name(std::string(row.value_name));
  if (row.type != ChoiceType::text) added->transform(validator_of(row));
  if (shows_default(row)) added->default_str(row.initial);
  return added;
}

}  // namespace crivo::cli
