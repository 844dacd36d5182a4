// SPDX-License-Identifier: Apache-2.0
/// Signs that the lines of an input are not cut as whoever wrote them meant it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "crivo/error.hpp"
#include "input/chunk_reader.hpp"

namespace crivo::input {

/// Looks at an input of lines for a CR at the end of lines of a file, which becomes part of keys
/// and is seldom meant to, and counts the blank lines that are left out. Where some lines end with
/// CR alone, one counts if it is text otherwise: keys of any bytes end with it by chance.
class TextSigns {
 public:
  TextSigns(Sources sources, const UnitFraming& framing);

  /// Looks at a chunk, if it is of lines, when its units were visited. From any thread.
  void look_at(const Chunk& chunk) noexcept;
  /// Before an input that was seen is read once more.
  void read_again() noexcept;

  /// Returns the signs that were seen, a byte a file: to go on from in another process.
  std::vector<std::uint8_t> seen() const;
  /// Goes on from what seen() was, of as many files.
  void go_on_from(const std::vector<std::uint8_t>& seen) noexcept;

  /// One for each sign of each file, "FILE: what it is". When all was seen.
  std::vector<Warning> warnings() const;

 private:
  struct File {
    std::atomic<bool> has_cr{false};            ///< a line ends with CR LF
    std::atomic<bool> has_bare_lf{false};       ///< another does not
    std::atomic<std::uint64_t> blank_lines{0};  ///< that were left out, by this process
  };

  /// Looks at a file whose lines seen before all end with CR.
  static void see_every_line(std::string_view bytes, File& file) noexcept;

  Sources sources_;
  UnitFraming framing_;
  std::unique_ptr<File[]> files_;
};

}  // namespace crivo::input
