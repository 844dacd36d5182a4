// SPDX-License-Identifier: Apache-2.0
/// How an input is cut into units: keys, or key-and-record pairs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/build/keys.hpp"
#include "input/sources.hpp"

namespace crivo::input {

/// The number, from 1, that a text has for a column; 0: it is a name.
std::uint32_t number_of_column(std::string_view text) noexcept;

/// How units are cut. A unit ends after `delimiters` delimiter bytes, or after `width` bytes.
struct UnitFraming {
  std::optional<char> delimiter;  ///< none when fixed
  unsigned delimiters = 1;        ///< 2 for NUL-separated key-and-record pairs
  std::uint32_t width = 0;        ///< bytes when fixed
  std::uint64_t max_bytes = 0;    ///< a longer unit is refused
  /// The member of KeyFormat that is; null: no option has set it.
  const char* limit = nullptr;
  bool strip_cr = false;     ///< a CR before an LF is not part of a line
  bool is_text = false;      ///< a file of another format is refused, a mark left out
  bool skip_header = false;  ///< the first unit of each file is left out
  bool counted = false;      ///< as a KeySource hands them over, to a KeyWriter
  bool quotes = false;       ///< a line end in a quoted column ends no unit
  char column_delimiter = '\t';
  std::string key_name{};  ///< columns that are found in the header
  std::string value_name{};
  std::string row_name{};
  /// Their numbers, from 1, where those are known: then no other column may have such a name.
  std::uint32_t key_column = 0;
  std::uint32_t value_column = 0;
  std::uint32_t row_column = 0;
  std::vector<std::string> leading_keys{};  ///< either, as KeyFormat has them

  static UnitFraming of_keys(const KeyFormat& format);
  /// Throws Error(usage) for fixed-width keys, which leave no room for records.
  static UnitFraming of_records(const KeyFormat& format);
  /// The framing of pairs, which are framed as records are, or of keys.
  static UnitFraming of(const KeyFormat& format, bool pairs) {
    return pairs ? of_records(format) : of_keys(format);
  }

  bool is_lines() const noexcept { return delimiter == '\n'; }
  /// Whether the header alone tells the number of a column.
  bool has_names() const noexcept {
    return (!key_name.empty() && key_column == 0) || (!value_name.empty() && value_column == 0) ||
           (!row_name.empty() && row_column == 0) ||
           std::ranges::any_of(leading_keys,
                               [](const std::string& one) { return number_of_column(one) == 0; });
  }
  /// Whether a file can only be cut from its beginning on.
  bool needs_beginning() const noexcept { return quotes || has_names(); }
};

/// Throws Error(usage) where files are to be cut as a source, or a source as files.
void check_framing(const Sources& sources, const UnitFraming& framing);

}  // namespace crivo::input
