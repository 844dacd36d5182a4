// SPDX-License-Identifier: Apache-2.0
/// Signs that the lines of an input are not cut as whoever wrote them meant it.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "crivo/error.hpp"
#include "input/chunk_reader.hpp"

namespace crivo::input {

/// Looks at an input of lines for a CR at the end of every line of a file, which becomes part of
/// keys and is seldom meant to. It reads a file only as far as its lines end with CR.
class TextSigns {
 public:
  TextSigns(Sources sources, const UnitFraming& framing);

  /// Looks at a chunk, if it is of lines. From any thread.
  void see(const Chunk& chunk) noexcept;

  /// What was seen, a byte a file: to go on from in another process.
  std::vector<std::uint8_t> seen() const;
  /// Goes on from what seen() was, of as many files.
  void go_on_from(const std::vector<std::uint8_t>& seen) noexcept;

  /// One for each sign of each file, "FILE: what it is". When all was seen.
  std::vector<Warning> warnings() const;

 private:
  struct File {
    std::atomic<bool> has_cr{false};       ///< a line ends with CR LF
    std::atomic<bool> has_bare_lf{false};  ///< another does not
  };

  Sources sources_;
  UnitFraming framing_;
  std::unique_ptr<File[]> files_;
};

}  // namespace crivo::input
