// SPDX-License-Identifier: Apache-2.0
#include "input/unit_framing.hpp"

#include <charconv>
#include <string>

#include "crivo/error.hpp"
#include "input/line_fields.hpp"
#include "input/units.hpp"

namespace crivo::input {

namespace {

/// Throws Error(usage) where units that are no lines have what only lines have.
void refuse_what_lines_have(const KeyFormat& format, const std::string& units) {
  const auto refuse = [&](bool is_given, const char* what) {
    if (is_given) throw Error(ErrorKind::usage, units + " cannot have " + what);
  };
  refuse(format.key_column != 0 || format.value_column != 0 || format.row_column != 0 ||
             !format.key_name.empty() || !format.value_name.empty() || !format.row_name.empty() ||
             format.column_delimiter != '\t' || !format.leading_keys.empty(),
         "columns");
  refuse(format.quotes, "quotes");
  refuse(format.skip_header, "a header");
  refuse(!format.json_key.empty() || !format.json_value.empty() || !format.json_row.empty(),
         "JSON");
  refuse(format.strip_cr, "a CR before their ends");
}

constexpr const char* kLineLimit = "max_line_bytes";

struct Limit {
  std::uint64_t bytes = kMaxKeyBytes;
  const char* name = "max_key_bytes";
};

Limit longest_line(const KeyFormat& format) {
  if (format.max_line_bytes == 0 || format.max_line_bytes > kMaxLineBytes) {
    throw Error(ErrorKind::usage,
                "the longest line must be 1 to " + std::to_string(kMaxLineBytes) + " bytes");
  }
  return {format.max_line_bytes, kLineLimit};
}

void refuse_width(const KeyFormat& format) {
  if (format.width != 0)
    throw Error(ErrorKind::usage,
                "a width needs keys of a fixed width, not lines or keys that end with NUL");
}

void check_leading_keys(const KeyFormat& format) {
  if (format.leading_keys.empty()) return;
  if (format.key_column == 0 && format.key_name.empty() && format.json_key.empty())
    throw Error(ErrorKind::usage, "leading_keys need a column or member that ends the key");
  if (format.hex)
    throw Error(ErrorKind::usage, "keys of several columns cannot be in hexadecimal digits");
  for (const std::string& one : format.leading_keys) {
    if (format.json_key.empty() && !format.skip_header && number_of_column(one) == 0)
      throw Error(ErrorKind::usage, "columns that are named need a header (skip_header)");
  }
}

/// The framing of lines within `limit`. (A CR that will be stripped may come after one of that
/// length.)
UnitFraming lines_of(const KeyFormat& format, const Limit& limit) {
  refuse_width(format);
  const bool json = !format.json_key.empty();
  if (!format.json_value.empty() && !json)
    throw Error(ErrorKind::usage, "json_value needs a json_key");
  if (!format.json_row.empty() && format.json_value.empty())
    throw Error(ErrorKind::usage, "json_row needs a json_value");
  if (json && (format.key_column != 0 || format.value_column != 0 || format.row_column != 0 ||
               format.quotes || format.skip_header || format.column_delimiter != '\t'))
    throw Error(ErrorKind::usage, "lines of JSON have no columns and no header");
  if (!format.skip_header &&
      !(format.key_name.empty() && format.value_name.empty() && format.row_name.empty()))
    throw Error(ErrorKind::usage, "columns that are named need a header (skip_header)");
  check_leading_keys(format);
  if (format.column_delimiter == '\n' || (format.quotes && format.column_delimiter == '"'))
    throw Error(ErrorKind::usage, "columns cannot be delimited by LF, nor quoted ones by quotes");
  UnitFraming framing{
      .delimiter = '\n', .max_bytes = limit.bytes + (format.strip_cr ? 1 : 0), .limit = limit.name};
  framing.strip_cr = format.strip_cr || json;  // which is white space there
  framing.is_text = !format.binary_lines;
  framing.skip_header = format.skip_header;
  framing.quotes = format.quotes;
  framing.column_delimiter = format.column_delimiter;
  framing.key_name = format.key_name;
  framing.value_name = format.value_name;
  framing.row_name = format.row_name;
  framing.key_column = format.key_column;
  framing.value_column = format.value_column;
  framing.row_column = format.row_column;
  if (!json) framing.leading_keys = format.leading_keys;
  return framing;
}

}  // namespace

std::uint32_t number_of_column(std::string_view text) noexcept {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc{} && parsed.ptr == end ? number : 0;
}

void check_framing(const Sources& sources, const UnitFraming& framing) {
  if (framing.counted == (sources.source != nullptr)) return;
  throw Error(ErrorKind::usage, "keys are counted if, and only if, they come from a KeySource");
}

UnitFraming UnitFraming::of_keys(const KeyFormat& format) {
  const Limit limit = has_fields(format) ? longest_line(format) : Limit{};
  switch (format.framing) {
    case KeyFormat::Framing::lines:
      return lines_of(format, limit);
    case KeyFormat::Framing::null:
      refuse_what_lines_have(format, "keys that end with NUL");
      refuse_width(format);
      return {.delimiter = '\0', .max_bytes = limit.bytes, .limit = limit.name};
    case KeyFormat::Framing::counted:
      if (has_fields(format)) {
        throw Error(ErrorKind::usage,
                    "keys of a KeySource cannot have columns or hexadecimal digits");
      }
      return {.delimiter = {}, .counted = true};
    case KeyFormat::Framing::fixed:
      break;
  }
  if (format.width == 0 || format.width > kMaxKeyBytes) {
    throw Error(ErrorKind::usage, "the fixed key width must be 1 to 1048576 bytes");
  }
  refuse_what_lines_have(format, "keys of a fixed width");
  if (format.hex)
    throw Error(ErrorKind::usage, "keys of a fixed width cannot have hexadecimal digits");
  return {.delimiter = {}, .width = format.width, .max_bytes = format.width};
}

UnitFraming UnitFraming::of_records(const KeyFormat& format) {
  switch (format.framing) {
    case KeyFormat::Framing::lines:
      return lines_of(format, longest_line(format));
    case KeyFormat::Framing::null:
      refuse_what_lines_have(format, "keys that end with NUL");
      refuse_width(format);
      return {.delimiter = '\0',
              .delimiters = 2,
              .max_bytes = longest_line(format).bytes,
              .limit = kLineLimit};
    case KeyFormat::Framing::counted:
      if (has_fields(format)) {
        throw Error(ErrorKind::usage,
                    "keys of a KeySource cannot have columns or hexadecimal digits");
      }
      return {.delimiter = {}, .delimiters = 2, .counted = true};
    case KeyFormat::Framing::fixed:
      break;
  }
  throw Error(ErrorKind::usage,
              "keys with records or values must be lines or NUL-separated, not of fixed width");
}

void refuse_key(std::string_view key, const KeyFormat& format, const Place& place) {
  if (format.numbers && key.size() != sizeof(std::uint64_t))
    throw InputFault(place, "the key is not a number, of 8 bytes");
  if (key.empty()) {
    throw InputFault(place, "the key is empty; remove the line, or allow empty keys",
                     "allow_empty");
  }
  throw InputFault(
      place,
      "the key is longer than the limit of " + std::to_string(format.max_key_bytes) + " bytes",
      format.max_key_bytes < kMaxKeyBytes ? "max_key_bytes" : "");
}

}  // namespace crivo::input
