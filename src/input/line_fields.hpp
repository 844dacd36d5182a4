// SPDX-License-Identifier: Apache-2.0
/// The key, and the value or record, that are columns of a line or members of a JSON object, in
/// quotes or in hexadecimal; and where lines end whose columns may hold line ends in quotes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "crivo/build/keys.hpp"
#include "input/chunk.hpp"
#include "input/json_members.hpp"
#include "input/unit_framing.hpp"

namespace crivo::input {

/// Whether units are more than a key, or a key, a TAB and a record.
inline bool has_fields(const KeyFormat& format) noexcept {
  const bool has_numbers = format.numbers && format.framing != KeyFormat::Framing::counted;
  return has_numbers || format.hex || format.quotes || format.key_column != 0 ||
         format.value_column != 0 || format.row_column != 0 || format.column_delimiter != '\t' ||
         !format.key_name.empty() || !format.value_name.empty() || !format.row_name.empty() ||
         !format.json_key.empty() || format.null_text || !format.leading_keys.empty();
}

/// Whether a line is not a unit: a blank one among objects of JSON or rows of columns in quotes.
inline bool is_blank(std::string_view line, const KeyFormat& format) noexcept {
  if (!format.json_key.empty()) return line.find_first_not_of(" \t\r\n") == line.npos;
  return format.quotes && !format.allow_empty && (line.empty() || line == "\r");
}

/// The columns that `framing` names, as the first line of a file has them. Throws InputFault at
/// `place`, the header's: there is none of the name, or more than one.
NamedColumns columns_of(std::string_view header, const UnitFraming& framing, const Place& place);

struct Pair {
  std::string_view key;
  std::string_view record;
  bool is_null = false;  ///< the key, as KeyFormat::null_text has it
};

/// Cuts the units of one chunk, in order. What it returns stands in chunk.bytes, chunk.decoded or
/// chunk.joined.
class LineFields {
 public:
  LineFields(const Chunk& chunk, const KeyFormat& format);

  /// The key of a unit at `place`. Throws InputFault: there is no such column, quotes that do not
  /// end or have something behind them, no JSON object with the key, no hexadecimal digits, no
  /// number.
  std::string_view key(std::string_view unit, const Place& place);
  /// The same of a line with a value or record.
  Pair pair(std::string_view line, const Place& place);
  /// Calls visit(text, number) for each column of a line, from 1.
  template <typename Visit>
  void for_each_column(std::string_view line, const Place& place, Visit&& visit) {
    Column next{{}, line, false};
    for (std::uint32_t number = 1; !next.is_last; ++number) {
      next = take(next.rest, place);
      visit(next.text, number);
    }
  }

 private:
  /// A column of a line, and what is left of the line behind the delimiter after it.
  struct Column {
    std::string_view text;
    std::string_view rest;
    bool is_last = false;  ///< no delimiter is behind it
    bool is_quoted = false;
  };
  struct NumberedColumn {
    std::uint32_t number;  ///< from 1
    Column column;
  };

  /// The first column of what is left of a line. (Inlined: most are short, and a line has several.)
  [[gnu::always_inline]] Column take(std::string_view line, const Place& place) {
    if (format_.quotes && line.starts_with('"')) return take_quoted(line, place);
    const std::size_t end = line.find(format_.column_delimiter);
    if (end == std::string_view::npos) return {line, {}, true};
    return {line.substr(0, end), line.substr(end + 1), false};
  }
  Column take_quoted(std::string_view line, const Place& place);
  Column column(std::string_view line, std::uint32_t number, const Place& place) {
    return column(line, {1, take(line, place)}, number, place);
  }
  /// The same, taken on from a column of the line where that stands before it.
  Column column(std::string_view line, const NumberedColumn& from, std::uint32_t number,
                const Place& place);
  bool is_null(const Column& key) const noexcept {
    return format_.null_text && !key.is_quoted && key.text == *format_.null_text;
  }
  /// The key of a unit that ends with that text; nothing if one of the others is NULL.
  std::optional<std::string_view> whole_key(std::string_view unit, std::string_view last,
                                            const Place& place);
  std::string_view text_of(const JsonText& json, const Place& place);
  std::string_view decode(std::string_view digits, const Place& place);
  std::string_view number(std::string_view digits, const Place& place);
  std::string_view join(std::string_view value, std::string_view row);

  const Chunk& chunk_;
  const KeyFormat& format_;
  NamedColumns columns_;    ///< of the key, the value and the row; 0: none is named
  std::size_t used_ = 0;    ///< of chunk.decoded
  std::size_t joined_ = 0;  ///< of chunk.joined
};

/// Finds the ends of lines one after the other, in bytes that begin with a line and of which more
/// may come. A quote opens a column only at its beginning; elsewhere it is a character like any.
class QuotedLines {
 public:
  explicit QuotedLines(char column_delimiter) : delimiter_(column_delimiter) {}

  /// The place of the next LF that ends a line, or bytes.size() if there is none yet: then call
  /// again with the same bytes and more behind them. O(1) a byte, over all calls.
  std::size_t next_end(std::string_view bytes) noexcept;

  /// The length of all whole lines at the front of `bytes`.
  std::size_t whole(std::string_view bytes) noexcept;
  /// How many lines were found.
  std::uint64_t lines() const noexcept { return lines_; }

 private:
  enum class State {
    line,    ///< at the beginning of one
    column,  ///< likewise
    plain,   ///< in one without quotes, or behind the closing quote
    quoted,
    quote,  ///< behind one in quotes: the closing one, or the first of two
  };

  /// The place of the first quote that was not passed, or bytes.size().
  std::size_t next_quote(std::string_view bytes) noexcept;
  /// Notes the end of a line.
  std::size_t found(std::size_t end) noexcept;

  char delimiter_;
  std::size_t at_ = 0;     ///< the first byte not looked at
  std::size_t quote_ = 0;  ///< none stands from at_ to there
  std::size_t whole_ = 0;  ///< behind the last line that was found
  std::uint64_t lines_ = 0;
  State state_ = State::line;
};

}  // namespace crivo::input
