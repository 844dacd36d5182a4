// SPDX-License-Identifier: Apache-2.0
/// The decompressed bytes of a file, as readers of records go through them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/input_bytes.hpp"

namespace crivo::extract {

/// A window on the bytes of a file, which moves on from front to back. Damage of compressed data is
/// an end of the file as any, but for damage().
class RecordBytes {
 public:
  /// Opens `path`; "-" is standard input. `threads`: as open_bytes() has them. Throws Error(io), or
  /// Error(bad_input): compressed in a way that is not read.
  RecordBytes(const std::string& path, unsigned threads);

  /// As it was opened: "-", or that of a file.
  const std::string& path() const noexcept { return path_; }
  const std::string& name() const noexcept { return file_.name(); }
  /// Whether the file can be opened once more, and is the same then.
  bool is_regular() const noexcept { return file_.is_regular(); }
  bool is_compressed() const noexcept { return opened_.compression != input::Compression::none; }
  /// In the decompressed file, of the first byte of the window.
  std::uint64_t offset() const noexcept { return offset_; }
  /// The first `wanted` bytes, or what there is of them before the end. Valid until the next call
  /// that is not const. Throws Error(io).
  std::string_view peek(std::size_t wanted);
  /// A line with its `delimiter`, which the last of a file may lack; empty at the end. Of a line of
  /// more than `most` bytes, so many. Valid as that of peek(), and still to be skipped.
  std::string_view peek_line(std::size_t most, char delimiter = '\n');
  /// Moves on; returns how many bytes there were of `count`. Throws Error(io).
  std::uint64_t skip(std::uint64_t count);
  /// Moves on to behind the line's end. Returns false if the file ends before.
  bool skip_line(char delimiter = '\n');
  bool at_end() { return peek(1).empty(); }
  /// Whether compressed data begin at the window, as where plain and compressed files were joined.
  bool at_compressed();
  /// Where the next stream of the compressed file begins behind `offset`, as far as that has been
  /// read: gzip members and zstd frames may hold a record each. O(log(streams in the window)).
  std::optional<std::uint64_t> stream_start_behind(std::uint64_t offset) const noexcept;
  /// Whether one begins at the window, which is what skip() has moved to.
  bool at_stream_start() const noexcept;
  /// Why the file ended before its end; empty if it did not.
  const std::string& damage() const noexcept { return damage_; }

 private:
  /// Reads more behind what is in the window: false at the end.
  bool read_more();

  std::string path_;
  input::InputFile file_;
  input::OpenedBytes opened_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< the window is [begin_, end_) of the buffer
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
  bool ended_ = false;
  std::string damage_;
  std::deque<std::uint64_t> stream_starts_;  ///< not before the window; they ascend
};

}  // namespace crivo::extract
