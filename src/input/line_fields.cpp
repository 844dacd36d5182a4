// SPDX-License-Identifier: Apache-2.0
#include "input/line_fields.hpp"

#include <algorithm>
#include <string>

#include "input/input_fault.hpp"

namespace crivo::input {
namespace {

/// 0 to 15, or -1.
int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

LineFields::LineFields(const Chunk& chunk, const KeyFormat& format)
    : chunk_(chunk), format_(format) {
  // A line's columns are taken once for its key, and once more for its value; then a key in digits
  // takes half of its own.
  if (format.quotes) {
    chunk.decoded.resize(3 * chunk.bytes.size());
  } else if (format.hex) {
    chunk.decoded.resize(chunk.bytes.size());
  }
}

std::string_view LineFields::key(std::string_view unit, const Place& place) {
  const bool columns = format_.framing == KeyFormat::Framing::lines && format_.key_column != 0;
  const std::string_view text = columns ? column(unit, format_.key_column, place).text : unit;
  return format_.hex ? decode(text, place) : text;
}

Pair LineFields::pair(std::string_view line, const Place& place) {
  const std::uint32_t number = std::max(format_.key_column, 1U);
  const Column key = column(line, number, place);
  std::string_view record = key.rest;
  if (format_.value_column != 0) {
    record = column(line, format_.value_column, place).text;
  } else if (key.is_last) {
    throw InputFault(place, "the line has no column " + std::to_string(number + 1));
  } else if (format_.quotes) {
    record = take(key.rest, place).text;
  }
  return {format_.hex ? decode(key.text, place) : key.text, record};
}

LineFields::Column LineFields::column(std::string_view line, std::uint32_t number,
                                      const Place& place) {
  Column column = take(line, place);
  for (std::uint32_t i = 1; i < number; ++i) {
    if (column.is_last) {
      throw InputFault(place, "the line has no column " + std::to_string(number));
    }
    column = take(column.rest, place);
  }
  return column;
}

LineFields::Column LineFields::take(std::string_view line, const Place& place) {
  if (format_.quotes && line.starts_with('"')) return take_quoted(line, place);
  const std::size_t end = line.find(format_.column_delimiter);
  if (end == std::string_view::npos) return {line, {}, true};
  return {line.substr(0, end), line.substr(end + 1), false};
}

LineFields::Column LineFields::take_quoted(std::string_view line, const Place& place) {
  char* const text = chunk_.decoded.data() + used_;
  std::size_t size = 0;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] != '"') {
      text[size++] = line[i];
      continue;
    }
    const std::string_view behind = line.substr(i + 1);
    if (behind.starts_with('"')) {
      text[size++] = line[i++];
      continue;
    }
    if (!behind.empty() && behind.front() != format_.column_delimiter) {
      throw InputFault(place, "a column has something behind its closing quote");
    }
    used_ += size;
    return {{text, size}, behind.empty() ? behind : behind.substr(1), behind.empty()};
  }
  throw InputFault(place,
                   "a quoted column does not end in its line; line ends in columns are not "
                   "read");
}

std::string_view LineFields::decode(std::string_view digits, const Place& place) {
  char* const bytes = chunk_.decoded.data() + used_;
  bool valid = digits.size() % 2 == 0;
  for (std::size_t i = 0; valid && i < digits.size(); i += 2) {
    const int high = hex_digit(digits[i]);
    const int low = hex_digit(digits[i + 1]);
    valid = high >= 0 && low >= 0;
    bytes[i / 2] = static_cast<char>(high * 16 + low);
  }
  if (!valid) {
    throw InputFault(place, "the key is no even number of hexadecimal digits");
  }
  used_ += digits.size() / 2;
  return {bytes, digits.size() / 2};
}

}  // namespace crivo::input
