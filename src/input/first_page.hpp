// SPDX-License-Identifier: Apache-2.0
/// The true format of a file that is taken for lines of text, by its first bytes.
///
/// Signs that the lines of an input are not cut as whoever wrote them meant it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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

/// So many bytes tell.
inline constexpr std::size_t kFirstPageBytes = 512;

/// UTF-8's, which is no part of a text that begins with it.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Returns the format of a file that begins with `page` and is no lines, as in "a tar archive": an
/// archive, a column file, a database, text of another encoding, a collection of pages, compressed
/// data. Nothing for what may be lines. `decompressed`: the page was, so that what is compressed
/// still is so twice.
std::optional<std::string_view> other_format(std::string_view page, bool decompressed) noexcept;

/// Throws Error(bad_input) that names the file `name` and its format, where it has another one.
void refuse_other_format(const std::string& name, std::string_view page, bool decompressed);

}  // namespace crivo::input
