// SPDX-License-Identifier: Apache-2.0
/// Where keys come from and how they are told apart.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "crivo/export.hpp"

namespace crivo {

class KeySource;

/// The longest key, in bytes.
inline constexpr std::uint64_t kMaxKeyBytes = std::uint64_t{1} << 20;
/// The longest record of a store, in bytes.
inline constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{1} << 26;

/// How a stream of bytes is cut into keys. Keys are bytes, any bytes but the delimiter.
struct KeyFormat {
  enum class Framing {
    lines,    ///< each ends with LF; the last may lack it
    null,     ///< each ends with NUL; the last may lack it
    fixed,    ///< each has `width` bytes, with nothing between them
    counted,  ///< each has its length beside it: what a KeySource hands over, and no file
  };
  Framing framing = Framing::lines;
  /// Counted only: the values of a map are the texts of numbers, not their bytes.
  bool text_values = false;
  /// Counted only: keys are 8 bytes each of a number, the lowest first.
  bool numbers = false;
  std::uint32_t width = 0;  ///< bytes per key when fixed, 1 to kMaxKeyBytes
  bool strip_cr = false;    ///< lines only: a CR before the LF is not part of the key
  /// Lines only: a file whose first bytes are those of another format (an archive, a column file,
  /// text in UTF-16) is lines all the same, and a byte order mark of UTF-8 is part of the first. As
  /// it stands the first is refused by name, and the mark left out.
  bool binary_lines = false;
  bool allow_empty = false;  ///< an empty key is a key; otherwise it is an error
  /// Lines only: the key is this column, from 1. 0: the whole line, or of pairs the first column.
  std::uint32_t key_column = 0;
  /// Of pairs, the column of the value or record, from 1. 0: all after the key's column, or with
  /// `quotes` the next column.
  std::uint32_t value_column = 0;
  char column_delimiter = '\t';  ///< between the columns of a line
  /// A column may stand in double quotes, which it may hold doubled, as in CSV. It may hold line
  /// ends, too: then a unit has several lines, and one thread finds where the units of a file end.
  bool quotes = false;
  bool skip_header = false;  ///< lines only: the first line of each file is left out, uncounted
  /// With skip_header, in the place of the columns' numbers: the name that the key's, or the
  /// value's, has in the header of each file.
  std::string key_name{};
  std::string value_name{};
  /// Lines only, each of which is a JSON object: the key is what the member of this name holds, a
  /// string or the text of a number. Empty: lines are no JSON.
  std::string json_key{};
  /// Of pairs of such lines, the member that is the value or record: a string, or the text of
  /// anything else. Empty: the record is the whole object.
  std::string json_value{};
  /// A key is written in hexadecimal digits of either case, two a byte. Not when fixed.
  bool hex = false;
  /// A longer key is an error. Not more than kMaxKeyBytes.
  std::uint64_t max_key_bytes = kMaxKeyBytes;

  friend bool operator==(const KeyFormat&, const KeyFormat&) = default;
};

/// Key files, at least one, read in order as one sequence. "-" is standard input. gzip, zstd, xz
/// and bzip2 are seen by their first bytes, whatever a file is called, and decompressed once; other
/// compressed files and archives are refused by name. Keys that begin with such bytes by chance are
/// read if the file is compressed.
///
/// Or, in the place of files, keys that a program has in memory or makes: crivo/key_source.hpp.
struct KeyInput {
  std::vector<std::string> paths;
  KeyFormat format;
  std::shared_ptr<KeySource> source{};  ///< then there are no paths, and keys are `counted`
  /// Of an exact set, whose members these keys are: the keys that it is to answer for. They are
  /// read twice, or kept by their hashes where they can be read only once.
  std::shared_ptr<const KeyInput> universe{};
};

}  // namespace crivo
