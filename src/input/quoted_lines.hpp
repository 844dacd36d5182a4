// SPDX-License-Identifier: Apache-2.0
/// Where lines end whose columns may hold line ends in quotes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace crivo::input {

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

  /// Notes the end of a line.
  std::size_t found(std::size_t end) noexcept;

  char delimiter_;
  std::size_t at_ = 0;     ///< the first byte not looked at
  std::size_t whole_ = 0;  ///< behind the last line that was found
  std::uint64_t lines_ = 0;
  State state_ = State::line;
};

}  // namespace crivo::input
