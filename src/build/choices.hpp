// SPDX-License-Identifier: Apache-2.0
/// The table of choices (crivo/build/options.hpp) at work: options as names and values, and back.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "crivo/build/options.hpp"
#include "file/metadata.hpp"

namespace crivo::index {

/// A row, and what the options have for it; nothing where it has no value.
struct Chosen {
  Choice row;
  std::optional<std::string> text;
};

/// A double with every digit that tells it from others.
std::string exact_text(double value);

/// Throws Error(usage): the text is no value of the row.
[[noreturn]] void refuse_value(const Choice& row, std::string_view text);

namespace rows {

template <typename Member>
std::optional<std::string> text_of([[maybe_unused]] const Choice& row, const Member& member) {
  if constexpr (std::same_as<Member, std::optional<double>>) {
    return member ? std::optional(exact_text(*member)) : std::nullopt;
  } else if constexpr (std::same_as<Member, std::string>) {
    return member;
  } else if constexpr (std::is_enum_v<Member>) {
    return std::string(row.names()[static_cast<std::size_t>(member)]);
  } else {
    return std::to_string(+member);
  }
}

template <typename Number>
Number number_of(const Choice& row, std::string_view text) {
  const auto number = base::number_in<Number>(text);
  if (!number) refuse_value(row, text);
  return *number;
}

template <typename Member>
void read(const Choice& row, std::string_view text, Member& member) {
  if constexpr (std::same_as<Member, std::optional<double>>) {
    member = number_of<double>(row, text);
  } else if constexpr (std::same_as<Member, std::string>) {
    member = text;
  } else if constexpr (std::is_enum_v<Member>) {
    const auto names = row.names();
    std::size_t place = 0;
    while (place < names.size() && names[place] != text) ++place;
    if (place == names.size()) refuse_value(row, text);
    member = static_cast<Member>(place);
  } else if constexpr (std::same_as<Member, bool>) {
    if (text != "0" && text != "1") refuse_value(row, text);
    member = text == "1";
  } else {
    member = number_of<Member>(row, text);
  }
}

/// The row with the type of its member.
template <typename Member>
Choice typed(Choice row, const Member& /*member*/) {
  if constexpr (std::same_as<Member, bool>) {
    row.type = ChoiceType::flag;
  } else if constexpr (std::same_as<Member, std::optional<double>>) {
    if (row.type != ChoiceType::rate) row.type = ChoiceType::number;
  } else if constexpr (std::unsigned_integral<Member>) {
    if (row.type != ChoiceType::bytes) row.type = ChoiceType::count;
  }
  return row;
}

}  // namespace rows

/// The options by their rows. The first one names the structure.
template <typename Options>
std::vector<Chosen> chosen(const Options& options) {
  std::vector<Chosen> all;
  visit_choices(options, [&](const Choice& row, const auto& member) {
    all.push_back({rows::typed(row, member), rows::text_of(row, member)});
  });
  return all;
}

/// The rows with the types and defaults of their members.
template <typename Options>
std::vector<Choice> rows_of() {
  std::vector<Choice> rows;
  for (Chosen& one : chosen(Options{})) {
    one.row.initial = one.text.value_or(std::string(one.row.otherwise));
    rows.push_back(std::move(one.row));
  }
  return rows;
}

/// Throws Error(usage), which names a choice that no row has.
void refuse_unknown(const Choices& choices, std::span<const Chosen> rows);

/// The options that have these choices, and defaults for all others. Throws Error(usage) for a
/// choice that no row has, or a value that is none of its type.
template <typename Options>
Options options_of(const Choices& choices) {
  Options options;
  refuse_unknown(choices, chosen(options));
  visit_choices(options, [&](const Choice& row, auto& member) {
    const auto found = choices.find(row.name);
    if (found != choices.end()) rows::read(rows::typed(row, member), found->second, member);
  });
  return options;
}

/// Throws Error(usage) unless the counts are in the ranges of their rows, and what the structure
/// does not take has its default. `what` is said of structures, such as "filters".
void check_rows(std::span<const Chosen> all, std::span<const Chosen> defaults,
                std::string_view what);

template <typename Options>
void check_choices(const Options& options, std::string_view what) {
  check_rows(chosen(options), chosen(Options{}), what);
}

/// Whether the algorithm or type takes the choice.
bool takes(const Choice& row, std::string_view structure) noexcept;
template <typename Options>
bool takes(std::string_view choice, std::string_view structure) {
  bool found = false;
  const Options defaults;
  visit_choices(defaults, [&](const Choice& row, const auto&) {
    found = found || (row.name == choice && takes(row, structure));
  });
  return found;
}

/// The metadata of a file: every choice that its structure takes, but what the header tells, with
/// the defaults filled in.
file::Metadata recorded(std::span<const Chosen> all, std::span<const Chosen> defaults);
template <typename Options>
file::Metadata metadata_of(const Options& options) {
  return recorded(chosen(options), chosen(Options{}));
}

/// The options that a file's metadata records. Throws Error(usage) if there are none that do.
Choices recorded_choices(const file::Metadata& metadata);

/// Every choice, for the journal of a build that may be continued.
file::Metadata every_choice(std::span<const Chosen> all);

}  // namespace crivo::index
