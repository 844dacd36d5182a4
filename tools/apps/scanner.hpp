// SPDX-License-Identifier: Apache-2.0
/// A search for many strings in a stream.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "apps/program.hpp"
#include "apps/string_index.hpp"

namespace crivo::apps {

/// Finds what `grep -F -o` does: from each place on the longest string that stands there, and after
/// it the next. Strings have no LF, so none spans two lines.
///
/// At each place two small tables say by the next 2 and 4 bytes which lengths a string there may
/// have. For those lengths, the longest first, the window's fingerprint is asked of the filter;
/// if that says maybe, it is looked up among the strings' fingerprints, and what has the
/// same is compared. Time: O(1) a place and possible length, and the bytes found. Memory: 9 times
/// the buffer, which has twice the longest string and at least 256 KiB; whatever the stream's size.
class Scanner {
 public:
  struct Match {
    std::uint64_t offset = 0;  ///< in the stream
    std::uint64_t line = 0;    ///< from 1; 0 unless lines are counted
    std::string_view text;
  };
  struct Counts {
    std::uint64_t bytes = 0;
    std::uint64_t windows = 0;  ///< asked of the filter
    std::uint64_t passed = 0;   ///< of these, looked up
    std::uint64_t found = 0;
  };

  /// `index` must outlive it.
  Scanner(const StringIndex& index, bool counts_lines);

  /// Calls `visit` with each match in turn.
  void scan(Input& input, const std::function<void(const Match&)>& visit);

  const Counts& counts() const noexcept { return counts_; }

 private:
  /// A set of lengths, a bit for each; for more than 64 of them, a bit for some that are
  /// neighbours.
  using Lengths = std::uint64_t;

  void add_prefix(std::string_view string, Lengths lengths);
  Lengths possible(const char* text) const noexcept;
  std::size_t match_at(std::size_t at);
  std::uint64_t print_of(std::size_t at, const StringIndex::Group& group);
  void keep_from(std::size_t at);

  const StringIndex& index_;
  bool counts_lines_;
  std::vector<std::size_t> class_begin_;  ///< of each bit, its first group; and their end
  /// By two bytes: the lengths of strings of 1 to 3 bytes. Empty if there are none.
  std::vector<Lengths> short_lengths_;
  /// By a hash of four bytes: those of the others.
  std::vector<Lengths> long_lengths_;
  unsigned long_shift_ = 0;

  std::vector<char> buffer_;           ///< the text, and kPadding bytes
  std::size_t filled_ = 0;             ///< bytes of text in the buffer
  std::uint64_t offset_ = 0;           ///< of the buffer in the stream
  std::uint64_t line_ = 1;             ///< at counted_
  std::size_t counted_ = 0;            ///< where lines are counted to
  std::vector<std::uint64_t> prints_;  ///< of the text from somewhere to here
  std::size_t printed_ = 0;            ///< the last of them that there is
  Counts counts_;
};

}  // namespace crivo::apps
