// SPDX-License-Identifier: Apache-2.0
#include "build/choices.hpp"

#include <algorithm>
#include <array>

#include "base/refuse_option.hpp"
#include "crivo/error.hpp"

namespace crivo::index {
namespace {

constexpr std::string_view kPrefix = "crivo.";

/// "8, 16 or 32".
template <typename Values, typename Text>
std::string list_of(const Values& values, Text&& text) {
  std::string list;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) list += i + 1 == values.size() ? " or " : ", ";
    list += text(values[i]);
  }
  return list;
}

std::string number_list(std::span<const unsigned> numbers) {
  return list_of(numbers, [](unsigned number) { return std::to_string(number); });
}

std::string name_list(std::span<const std::string_view> names) {
  return list_of(names, [](std::string_view name) { return std::string(name); });
}

/// The algorithm or type, which the first row names.
std::string structure_of(std::span<const Chosen> all) {
  return all.front().text.value_or("");
}

bool is_count(const Choice& row) noexcept {
  return row.type == ChoiceType::count || row.type == ChoiceType::bytes;
}

void check_count(const Choice& row, const std::string& text) {
  const auto value = rows::number_of<std::uint64_t>(row, text);
  if (!row.numbers.empty()) {
    if (std::ranges::find(row.numbers, value) == row.numbers.end())
      base::refuse_option(std::string(row.name), text + " is not " + number_list(row.numbers));
  } else if (value < row.low || value > row.high) {
    base::refuse_option(std::string(row.name), text + " is not between " + std::to_string(row.low) +
                                                   " and " + std::to_string(row.high));
  }
}

}  // namespace

std::string exact_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

void refuse_value(const Choice& row, std::string_view text) {
  const std::string problem = "'" + std::string(text) + "' is not ";
  switch (row.type) {
    case ChoiceType::name:
      base::refuse_option(std::string(row.name), problem + name_list(row.names()));
    case ChoiceType::flag:
      base::refuse_option(std::string(row.name), problem + "0 or 1");
    case ChoiceType::count:
      base::refuse_option(std::string(row.name), problem + "a whole number up to 4294967295");
    case ChoiceType::bytes:
      base::refuse_option(std::string(row.name), problem + "a whole number");
    case ChoiceType::text:
      base::refuse_option(std::string(row.name),
                          problem + "of the form " + std::string(row.value_name));
    case ChoiceType::rate:
    case ChoiceType::number:
      break;
  }
  base::refuse_option(std::string(row.name), problem + "a number");
}

void refuse_unknown(const Choices& choices, std::span<const Chosen> rows) {
  for (const auto& [name, value] : choices) {
    if (std::ranges::find(rows, name, [](const Chosen& one) { return one.row.name; }) == rows.end())
      throw Error(ErrorKind::usage, "there is no option " + name);
  }
}

bool takes(const Choice& row, std::string_view structure) noexcept {
  if (row.takers.empty()) return true;
  for (std::string_view rest = row.takers; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == structure) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

void check_rows(std::span<const Chosen> all, std::span<const Chosen> defaults,
                std::string_view what) {
  const std::string structure = structure_of(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Choice& row = all[i].row;
    if (all[i].text == defaults[i].text) continue;
    const std::string text = all[i].text.value_or("");
    const std::string name(row.name);
    if (row.type == ChoiceType::name && std::ranges::find(row.names(), text) == row.names().end())
      refuse_value(row, text);
    if (!takes(row, structure))
      base::refuse_option(name, "not an option of " + structure + " " + std::string(what));
    if (is_count(row)) check_count(row, text);
    const auto is_other = [&](const Chosen& one) { return one.row.name == row.instead_of; };
    const auto other = std::ranges::find_if(all, is_other);
    if (other != all.end() && other->text)
      base::refuse_option(name, "cannot be used with " + std::string(row.instead_of));
  }
}

file::Metadata recorded(std::span<const Chosen> all, std::span<const Chosen> defaults) {
  const std::string structure = structure_of(all);
  file::Metadata metadata;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [row, text] = all[i];
    const bool is_recorded = row.recorded == Recorded::in_metadata ||
                             (row.recorded == Recorded::unless_default && text != defaults[i].text);
    if (!is_recorded || !takes(row, structure)) continue;
    const bool is_replaced = std::ranges::any_of(all, [name = row.name](const Chosen& one) {
      return one.row.instead_of == name && one.text;
    });
    const std::string value = text.value_or(is_replaced ? "" : std::string(row.otherwise));
    if (!value.empty()) metadata[std::string(kPrefix).append(row.name)] = value;
  }
  return metadata;
}

Choices recorded_choices(const file::Metadata& metadata) {
  Choices choices;
  for (const auto& [name, value] : metadata) {
    if (name.starts_with(kPrefix) && !name.starts_with(file::kLibraryPrefix))
      choices[name.substr(kPrefix.size())] = value;
  }
  return choices;
}

file::Metadata every_choice(std::span<const Chosen> all) {
  file::Metadata choices;
  for (const auto& [row, text] : all) {
    if (text) choices[std::string(row.name)] = *text;
  }
  return choices;
}

}  // namespace crivo::index
