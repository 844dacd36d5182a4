// SPDX-License-Identifier: Apache-2.0
#include "input/line_fields.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "crivo/build/key_form.hpp"
#include "crivo/error.hpp"
#include "input/delimiter_scan.hpp"
#include "input/places.hpp"

namespace crivo::input {
namespace {

/// A column that a header is searched for. No more is kept of the header than its number.
struct WantedColumn {
  const std::string& name;
  std::uint32_t known;  ///< its number, from 1; 0: the name alone tells it
  std::uint32_t first = 0;
  bool is_again = false;

  void look_at(std::string_view text, std::uint32_t number) {
    if (name.empty() || text != name) return;
    is_again = first != 0;
    if (first == 0) first = number;
  }

  /// The number, or 0 for no name.
  std::uint32_t number(const Place& place) const {
    if (name.empty()) return 0;
    if (known != 0) {
      if (first == 0 || first == known) return known;
      throw InputFault(place, "the header calls column " + std::to_string(first) + " " +
                                  quote(name) + ", so that it is not clear which column " + name +
                                  " is meant; rename it");
    }
    if (first == 0) throw InputFault(place, "the header has no column " + quote(name));
    if (is_again) throw InputFault(place, "the header has more than one column " + quote(name));
    return first;
  }
};

/// Writes one of the texts that make a key: so that the TAB between them is in none.
char* put_part(std::string_view text, char* to) noexcept {
  constexpr std::string_view kEscaped = "\\\t\n";
  constexpr std::string_view kNames = "\\tn";
  for (const char c : text) {
    const std::size_t escaped = kEscaped.find(c);
    if (escaped != std::string_view::npos) *to++ = '\\';
    *to++ = escaped == std::string_view::npos ? c : kNames[escaped];
  }
  return to;
}

Pair pair_of(const std::optional<std::string_view>& key, std::string_view record) noexcept {
  return {key.value_or(std::string_view()), record, !key.has_value()};
}

}  // namespace

NamedColumns columns_of(std::string_view header, const UnitFraming& framing, const Place& place) {
  if (header.ends_with('\n')) header.remove_suffix(1);
  if (header.ends_with('\r')) header.remove_suffix(1);
  Chunk chunk;
  chunk.bytes = header;
  KeyFormat format;
  format.quotes = framing.quotes;
  format.column_delimiter = framing.column_delimiter;
  WantedColumn key{framing.key_name, framing.key_column};
  WantedColumn value{framing.value_name, framing.value_column};
  WantedColumn row{framing.row_name, framing.row_column};
  std::vector<WantedColumn> leading;
  leading.reserve(framing.leading_keys.size());
  for (const std::string& text : framing.leading_keys)
    leading.push_back({text, number_of_column(text)});
  LineFields(chunk, format)
      .for_each_column(header, place, [&](std::string_view text, std::uint32_t number) {
        key.look_at(text, number);
        value.look_at(text, number);
        row.look_at(text, number);
        for (WantedColumn& one : leading) one.look_at(text, number);
      });
  NamedColumns found{key.number(place), value.number(place), row.number(place), {}};
  for (const WantedColumn& one : leading) found.leading.push_back(one.number(place));
  return found;
}

LineFields::LineFields(const Chunk& chunk, const KeyFormat& format)
    : chunk_(chunk),
      format_(format),
      columns_{format.key_column != 0 ? format.key_column : chunk.columns.key,
               format.value_column != 0 ? format.value_column : chunk.columns.value,
               format.row_column != 0 ? format.row_column : chunk.columns.row,
               chunk.columns.leading} {
  // A line's columns are taken once for its key, and once more for its value and its row; then a
  // key in digits takes half of its own. So they are for each text that makes a key, which may be
  // written in twice its bytes.
  const std::size_t leading = format.leading_keys.size();
  if (columns_.leading.empty()) {
    for (const std::string& text : format.leading_keys)
      columns_.leading.push_back(number_of_column(text));
  }
  if (format.quotes || !format.json_key.empty()) {
    chunk.decoded.resize((4 + leading) * chunk.bytes.size());
  } else if (format.hex) {
    chunk.decoded.resize(chunk.bytes.size());
  }
  // A number of 8 bytes may be of one digit, of a line of six bytes or more.
  if (format.numbers) chunk.decoded.resize(chunk.decoded.size() + 2 * chunk.bytes.size() + 8);
  std::size_t joined = columns_.row != 0 || !format.json_row.empty() ? 3 * chunk.bytes.size() : 0;
  if (leading != 0) joined += (leading + 1) * (3 * chunk.bytes.size() + 1);
  if (joined != 0) chunk.joined.resize(joined);
}

std::string_view LineFields::key(std::string_view unit, const Place& place) {
  std::string_view text = unit;
  if (!format_.json_key.empty()) {
    text = text_of(json_members(unit, format_.json_key, {}, place).key, place);
  } else if (format_.framing == KeyFormat::Framing::lines && columns_.key != 0) {
    text = column(unit, columns_.key, place).text;
  }
  return whole_key(unit, text, place).value_or(std::string_view());
}

std::optional<std::string_view> LineFields::whole_key(std::string_view unit, std::string_view last,
                                                      const Place& place) {
  if (format_.numbers) return number(last, place);
  if (format_.leading_keys.empty()) return format_.hex ? decode(last, place) : last;
  char* const begin = chunk_.joined.data() + joined_;
  char* end = begin;
  bool is_null = false;
  for (std::size_t i = 0; i < format_.leading_keys.size(); ++i) {
    std::string_view text;
    if (!format_.json_key.empty()) {
      const JsonText member =
          json_members(unit, format_.leading_keys[i], {}, place, format_.null_text.has_value()).key;
      is_null |= member.is_null;
      text = text_of(member, place);
    } else {
      const Column part = column(unit, columns_.leading[i], place);
      is_null |= this->is_null(part);
      text = part.text;
    }
    end = put_part(text, end);
    *end++ = '\t';
  }
  if (is_null) return {};
  end = put_part(last, end);
  joined_ += static_cast<std::size_t>(end - begin);
  return std::string_view(begin, end);
}

Pair LineFields::pair(std::string_view line, const Place& place) {
  if (!format_.json_key.empty()) {
    const JsonMembers found = json_members(line, format_.json_key, format_.json_value, place,
                                           format_.null_text.has_value());
    const std::string_view key = text_of(found.key, place);
    std::string_view value = text_of(found.value, place);
    if (!format_.json_row.empty()) {
      const JsonText row = json_members(line, format_.json_key, format_.json_row, place,
                                        format_.null_text.has_value())
                               .value;
      value = join(value, text_of(row, place));
    }
    return found.key.is_null ? Pair{{}, value, true} : pair_of(whole_key(line, key, place), value);
  }
  const std::uint32_t number = std::max(columns_.key, 1U);
  const Column key = column(line, number, place);
  std::string_view record = key.rest;
  // Columns mostly stand in the order in which they are taken.
  NumberedColumn from{number, key};
  if (columns_.value != 0) {
    from = {columns_.value, column(line, from, columns_.value, place)};
    record = from.column.text;
  } else if (key.is_last) {
    throw InputFault(place, "the line has no column " + std::to_string(number + 1));
  } else if (format_.quotes) {
    record = take(key.rest, place).text;
  }
  if (columns_.row != 0) record = join(record, column(line, from, columns_.row, place).text);
  return is_null(key) ? Pair{{}, record, true} : pair_of(whole_key(line, key.text, place), record);
}

/// Both are of one line, with what is between them, or twice the same column of it.
std::string_view LineFields::join(std::string_view value, std::string_view row) {
  char* const begin = chunk_.joined.data() + joined_;
  char* end = std::ranges::copy(value, begin).out;
  *end++ = '\t';
  end = std::ranges::copy(row, end).out;
  joined_ += static_cast<std::size_t>(end - begin);
  return {begin, end};
}

LineFields::Column LineFields::column(std::string_view line, const NumberedColumn& from,
                                      std::uint32_t number, const Place& place) {
  const bool is_behind = from.number <= number;
  Column column = is_behind ? from.column : take(line, place);
  for (std::uint32_t i = is_behind ? from.number : 1; i < number; ++i) {
    if (column.is_last) {
      throw InputFault(place, "the line has no column " + std::to_string(number));
    }
    column = take(column.rest, place);
  }
  return column;
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
    return {{text, size}, behind.empty() ? behind : behind.substr(1), behind.empty(), true};
  }
  throw InputFault(place, "a quoted column does not end");
}

std::string_view LineFields::text_of(const JsonText& json, const Place& place) {
  if (!json.has_escapes) return json.text;
  char* const bytes = chunk_.decoded.data() + used_;
  const std::size_t size = unescape_json(json.text, bytes, place);
  used_ += size;
  return {bytes, size};
}

std::string_view LineFields::decode(std::string_view digits, const Place& place) {
  char* const bytes = chunk_.decoded.data() + used_;
  bool valid = digits.size() % 2 == 0;
  for (std::size_t i = 0; valid && i < digits.size(); i += 2) {
    const int high = base::hex_digit(digits[i]);
    const int low = base::hex_digit(digits[i + 1]);
    valid = high >= 0 && low >= 0;
    bytes[i / 2] = static_cast<char>(high * 16 + low);
  }
  if (!valid && digits.ends_with('\r')) {
    throw InputFault(place, "the key ends with a CR, which is not a hexadecimal digit", "strip_cr");
  }
  if (!valid) {
    throw InputFault(place, "the key is not an even number of hexadecimal digits");
  }
  used_ += digits.size() / 2;
  return {bytes, digits.size() / 2};
}

std::string_view LineFields::number(std::string_view digits, const Place& place) {
  const std::optional<std::uint64_t> number = keys::number(digits);
  if (!number) {
    throw InputFault(
        place, "the key " + quote(digits) + " is not a 64-bit number, as all keys here are to be");
  }
  char* const bytes = chunk_.decoded.data() + used_;
  base::store_le(reinterpret_cast<std::byte*>(bytes), *number);
  used_ += sizeof *number;
  return {bytes, sizeof *number};
}

std::size_t QuotedLines::next_end(std::string_view bytes) noexcept {
  while (at_ < bytes.size()) {
    if (state_ == State::quoted) {
      const std::size_t quote = bytes.find('"', at_);
      at_ = std::min(quote, bytes.size() - 1) + 1;
      if (quote != std::string_view::npos) state_ = State::quote;
      continue;
    }
    if (state_ == State::line) {  // most have no quotes at all
      const std::size_t end = bytes.find('\n', at_);
      if (end != std::string_view::npos && end < next_quote(bytes)) {
        at_ = end + 1;
        return found(end);
      }
      state_ = State::column;
    }
    if (bytes[at_] == '"' && state_ != State::plain) {
      state_ = State::quoted;
      ++at_;
      continue;
    }
    state_ = State::plain;
    while (at_ < bytes.size() && bytes[at_] != delimiter_ && bytes[at_] != '\n') ++at_;
    if (at_ == bytes.size()) break;
    const bool ends = bytes[at_++] == '\n';
    state_ = ends ? State::line : State::column;
    if (ends) return found(at_ - 1);
  }
  return bytes.size();
}

std::size_t QuotedLines::next_quote(std::string_view bytes) noexcept {
  const bool is_known = quote_ >= at_ && quote_ < bytes.size() && bytes[quote_] == '"';
  if (!is_known) quote_ = std::min(bytes.find('"', std::max(quote_, at_)), bytes.size());
  return quote_;
}

std::size_t QuotedLines::found(std::size_t end) noexcept {
  whole_ = end + 1;
  ++lines_;
  return end;
}

std::size_t QuotedLines::whole(std::string_view bytes) noexcept {
  while (state_ != State::line || next_quote(bytes) != bytes.size()) {
    if (next_end(bytes) == bytes.size()) return whole_;
  }
  const std::size_t last = bytes.substr(at_).rfind('\n');
  if (last == std::string_view::npos) return whole_;
  const std::string_view lines = bytes.substr(at_, last + 1);
  lines_ += count_delimiters(lines, '\n');
  return whole_ = at_ += lines.size();
}

}  // namespace crivo::input
