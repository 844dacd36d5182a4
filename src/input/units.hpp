// SPDX-License-Identifier: Apache-2.0
/// Takes a chunk apart into its keys, or its keys with their records.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "crivo/build/keys.hpp"
#include "input/chunk_reader.hpp"
#include "input/delimiter_scan.hpp"
#include "input/line_fields.hpp"
#include "input/places.hpp"

namespace crivo::input {

/// The place of unit `index` of a chunk, which begins `offset` bytes into it: the one that is being
/// visited, where units may have several lines.
inline Place place_in(const Chunk& chunk, std::uint64_t index, std::size_t offset) noexcept {
  const std::uint64_t line = chunk.start.line == kUnknownLine
                                 ? kUnknownLine
                                 : chunk.start.line + index + chunk.inner_lines;
  return {chunk.start.file, chunk.start.offset + offset, line};
}

/// Throws what check_key() says.
[[noreturn]] void refuse_key(std::string_view key, const KeyFormat& format, const Place& place);

/// Throws InputFault unless `key` keeps to the limits.
[[gnu::always_inline]] inline void check_key(std::string_view key, const KeyFormat& format,
                                             const Chunk& chunk, std::uint64_t index,
                                             std::size_t offset) {
  const bool fits = key.size() <= format.max_key_bytes && (!key.empty() || format.allow_empty) &&
                    (!format.numbers || key.size() == sizeof(std::uint64_t));
  if (!fits) [[unlikely]] {
    refuse_key(key, format, place_in(chunk, index, offset));
  }
}

/// Calls visit(bytes, index, offset) for each run of the chunk that `delimiter` ends (the last may
/// lack it): `index` counts from 0, `offset` is the run's place in chunk.bytes.
template <typename Visit>
void for_each_delimited(const Chunk& chunk, char delimiter, Visit&& visit) {
  const std::string_view bytes(chunk.bytes.data(), chunk.bytes.size());
  DelimiterScan scan(bytes, delimiter);
  std::uint64_t index = 0;
  std::size_t begin = 0;
  for (auto ends = scan.next(); !ends.empty(); ends = scan.next()) {
    for (const std::size_t end : ends) {
      visit(std::string_view(bytes.data() + begin, end - begin), index++, begin);
      begin = end + 1;
    }
  }
  if (begin < bytes.size()) visit(bytes.substr(begin), index, begin);
}

/// The same over lines that hold no line ends: of JSON, or of columns none of which is in quotes,
/// without the CR at their end where the format strips it. Blank ones are left out and counted.
template <typename Visit>
void for_each_filled_line(const Chunk& chunk, const KeyFormat& format, Visit&& visit) {
  chunk.inner_lines = chunk.blank_lines = 0;
  for_each_delimited(chunk, '\n',
                     [&](std::string_view line, std::uint64_t index, std::size_t offset) {
                       if (format.strip_cr && line.ends_with('\r')) line.remove_suffix(1);
                       if (is_blank(line, format)) {
                         chunk.inner_lines = ++chunk.blank_lines;
                       } else {
                         visit(line, index - chunk.blank_lines, offset);
                       }
                     });
}

/// The same over lines that end outside of quotes.
template <typename Visit>
void for_each_quoted_line(const Chunk& chunk, const KeyFormat& format, Visit&& visit) {
  const std::string_view bytes(chunk.bytes.data(), chunk.bytes.size());
  QuotedLines ends(format.column_delimiter);
  std::uint64_t index = 0;
  chunk.inner_lines = chunk.blank_lines = 0;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = ends.next_end(bytes);
    const std::string_view whole = bytes.substr(begin, end - begin);
    const bool cr = format.strip_cr && whole.ends_with('\r');
    const std::string_view line = whole.substr(0, whole.size() - (cr ? 1 : 0));
    if (is_blank(line, format)) {
      ++chunk.blank_lines;
      ++chunk.inner_lines;
    } else {
      visit(line, index++, begin);
      chunk.inner_lines += count_delimiters(whole, '\n');
    }
    begin = end + 1;
  }
}

/// for_each_delimited over lines, less the CR at their end where the format strips it.
template <typename Visit>
void for_each_line(const Chunk& chunk, const KeyFormat& format, Visit&& visit) {
  const std::string_view bytes(chunk.bytes.data(), chunk.bytes.size());
  if (format.quotes && bytes.find('"') != bytes.npos)
    return for_each_quoted_line(chunk, format, visit);
  if (format.quotes || !format.json_key.empty()) return for_each_filled_line(chunk, format, visit);
  for_each_delimited(chunk, '\n',
                     [&](std::string_view line, std::uint64_t index, std::size_t offset) {
                       if (format.strip_cr && line.ends_with('\r')) line.remove_suffix(1);
                       visit(line, index, offset);
                     });
}

/// Calls visit(text, index, offset) for each text that a KeyWriter put into the chunk.
template <typename Visit>
void for_each_counted(const Chunk& chunk, Visit&& visit) {
  std::string_view rest(chunk.bytes.data(), chunk.bytes.size());
  for (std::uint64_t index = 0; !rest.empty(); ++index) {
    const auto size = base::load_le<std::uint32_t>(rest.data());
    rest.remove_prefix(sizeof size);
    visit(rest.substr(0, size), index, chunk.bytes.size() - rest.size());
    rest.remove_prefix(size);
  }
}

/// Calls visit(key, record, index, offset) for each pair that a KeyWriter put into the chunk: of
/// texts in turn.
template <typename Visit>
void for_each_counted_pair(const Chunk& chunk, Visit&& visit) {
  const char* const begin = chunk.bytes.data();
  std::size_t at = 0;
  const auto next = [&] {
    const auto size = base::load_le<std::uint32_t>(begin + at);
    at += sizeof size + size;
    return std::string_view(begin + at - size, size);
  };
  for (std::uint64_t index = 0; at < chunk.bytes.size(); ++index) {
    const std::size_t offset = at + sizeof(std::uint32_t);
    const std::string_view key = next();
    visit(key, next(), index, offset);
  }
}

/// Calls visit(key, index, offset) for each key of the chunk in order: `index` counts from 0,
/// `offset` is its unit's place in chunk.bytes. Throws InputFault at a key that is empty (unless
/// allowed) or longer than format.max_key_bytes, and where the unit's fields have none.
template <typename Visit>
void for_each_key(const Chunk& chunk, const KeyFormat& format, Visit&& visit) {
  const auto checked = [&](std::string_view key, std::uint64_t index, std::size_t offset) {
    check_key(key, format, chunk, index, offset);
    visit(key, index, offset);
  };
  if (has_fields(format)) {
    LineFields fields(chunk, format);
    const auto cut = [&](std::string_view unit, std::uint64_t index, std::size_t offset) {
      checked(fields.key(unit, place_in(chunk, index, offset)), index, offset);
    };
    return format.framing == KeyFormat::Framing::lines ? for_each_line(chunk, format, cut)
                                                       : for_each_delimited(chunk, '\0', cut);
  }
  switch (format.framing) {
    case KeyFormat::Framing::lines:
      return for_each_line(chunk, format, checked);
    case KeyFormat::Framing::null:
      return for_each_delimited(chunk, '\0', checked);
    case KeyFormat::Framing::counted:
      return for_each_counted(chunk, checked);
    case KeyFormat::Framing::fixed:
      break;
  }
  const std::string_view bytes(chunk.bytes.data(), chunk.bytes.size());
  for (std::uint64_t i = 0; i < bytes.size() / format.width; ++i) {
    visit(bytes.substr(i * format.width, format.width), i, i * format.width);
  }
}

/// Calls visit(key, record, index, offset) for each pair of the chunk in order: key TAB record
/// lines, where the record is all after the first TAB, or the columns of lines that the format
/// names, or key NUL record NUL. Keys that are NULL are left out, and counted in `nulls`. Throws
/// InputFault at a line without TAB or columns, a key without record, or one over the limits.
/// `noun` is what messages call a record.
template <typename Visit>
void for_each_record(const Chunk& chunk, const KeyFormat& format, Visit&& visit,
                     const std::string& noun = "record", std::uint64_t* nulls = nullptr) {
  const auto checked = [&](std::string_view key, std::string_view record, std::uint64_t index,
                           std::size_t offset) {
    check_key(key, format, chunk, index, offset);
    if (record.size() > kMaxRecordBytes) {
      throw InputFault(place_in(chunk, index, offset),
                       "the " + noun + " is longer than the limit of " +
                           std::to_string(kMaxRecordBytes) + " bytes");
    }
    visit(key, record, index, offset);
  };
  std::optional<LineFields> fields;
  if (has_fields(format)) fields.emplace(chunk, format);
  if (fields && format.framing == KeyFormat::Framing::lines) {
    for_each_line(chunk, format,
                  [&](std::string_view line, std::uint64_t index, std::size_t offset) {
                    const Pair pair = fields->pair(line, place_in(chunk, index, offset));
                    if (!pair.is_null) return checked(pair.key, pair.record, index, offset);
                    if (nulls != nullptr) ++*nulls;
                  });
    return;
  }
  if (format.framing == KeyFormat::Framing::lines) {
    for_each_line(
        chunk, format, [&](std::string_view line, std::uint64_t index, std::size_t offset) {
          const std::size_t tab = line.find('\t');
          if (tab == std::string_view::npos) {
            throw InputFault(
                place_in(chunk, index, offset),
                "no TAB between the key and its " + noun + "; each line must be key<TAB>" + noun);
          }
          checked(line.substr(0, tab), line.substr(tab + 1), index, offset);
        });
    return;
  }
  if (!fields && format.framing == KeyFormat::Framing::counted)
    return for_each_counted_pair(chunk, checked);
  std::string_view key;
  std::size_t key_offset = 0;
  std::uint64_t texts = 0;
  const auto in_turn = [&](std::string_view text, std::uint64_t index, std::size_t offset) {
    texts = index + 1;
    if (index % 2 == 0) {
      key = text;
      key_offset = offset;
      return;
    }
    if (fields) key = fields->key(key, place_in(chunk, index / 2, key_offset));
    checked(key, text, index / 2, key_offset);
  };
  if (format.framing == KeyFormat::Framing::counted) return for_each_counted(chunk, in_turn);
  for_each_delimited(chunk, '\0', in_turn);
  if (texts % 2 != 0) {
    throw InputFault(
        place_in(chunk, texts / 2, key_offset),
        "the last key has no " + noun + "; the input must be key NUL " + noun + " NUL");
  }
}

/// Takes the keys of a chunk, for a caller that need not know whether records stand between them.
using VisitKey = std::function<void(std::string_view key, std::uint64_t index, std::size_t offset)>;
using ParseKeys = std::function<void(const Chunk& chunk, const VisitKey& visit)>;

}  // namespace crivo::input
