// SPDX-License-Identifier: Apache-2.0
/// Members of a JSON object, in a line of an input.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "input/chunk.hpp"

namespace crivo::input {

/// The text of a JSON value: what is between a string's quotes, or all of any other value.
struct JsonText {
  std::string_view text;
  bool has_escapes = false;  ///< of a string: unescape_json() is needed
  bool is_null = false;
};

struct JsonMembers {
  JsonText key;
  JsonText value;
};

/// Finds two members of the object that is all of `line` but white space: `key`, whose value is a
/// string, a number or, with `takes_null`, null; and `value`, which may be anything; an empty name
/// for the latter stands for the object itself. Checks all of the line, as RFC 8259 has it, with at
/// most 512 values in one another. O(line) time, O(1) memory but for names with escapes. Throws
/// InputFault: the line is not such an object, or has not exactly one of each member.
JsonMembers json_members(std::string_view line, std::string_view key, std::string_view value,
                         const Place& place, bool takes_null = false);

/// Finds a member, of any value, of the object that is all of `text`; nothing if it has none of the
/// name. Checks and throws as json_members() does.
std::optional<JsonText> json_member(std::string_view text, std::string_view name,
                                    const Place& place);
/// The values of the array that is all of `text`, likewise.
std::vector<std::string_view> json_items(std::string_view text, const Place& place);

/// Writes the string whose text is `escaped`, which json_members() found, to `to`: at most as many
/// bytes. Returns how many. Throws InputFault: half of a surrogate pair.
std::size_t unescape_json(std::string_view escaped, char* to, const Place& place);

}  // namespace crivo::input
