// SPDX-License-Identifier: Apache-2.0
/// One key file that is being cut into chunks of whole units.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "input/chunk.hpp"
#include "input/input_bytes.hpp"
#include "input/input_parts.hpp"
#include "input/unit_framing.hpp"

namespace crivo::input {

/// A file that is cut in blocks, by any number of threads at once, or from front to back. In
/// blocks, only `next_block` changes; otherwise the rest does, by the thread that has it.
class OpenFile {
 public:
  /// `framing` must outlive it. Throws Error(io).
  OpenFile(const Sources& sources, std::size_t number, const UnitFraming& framing)
      : input(sources, number),
        index(number),
        has_header_(framing.skip_header),
        framing_(framing) {}

  /// Whether all blocks were handed out.
  bool is_used_up() const noexcept {
    return in_blocks && next_block * block_bytes >= std::min(end_byte, input.size());
  }
  std::uint64_t bytes_taken() const noexcept {
    if (!in_blocks) return consumed;
    const std::uint64_t end = std::min({next_block * block_bytes, end_byte, input.size()});
    return end - std::min(end, first_byte);
  }

  /// Before anything is cut in blocks. Throws Error(bad_input) where it is of another format.
  void look_at_first_page();

  /// Before anything is cut: no more than a range of the file's bytes is.
  void cut_only(std::uint64_t begin, std::uint64_t end) noexcept {
    first_byte = begin;
    end_byte = end;
    if (in_blocks) next_block = begin / block_bytes;
    begins_inside_ = !in_blocks && begin != 0;
    if (begins_inside_) has_header_ = false;
  }

  /// The units whose first byte is in a block: false if none is. Takes its turn of `long_chunks`
  /// where they take more than kLongChunkBytes. Throws InputFault.
  bool cut_block(std::uint64_t block, Chunk& chunk, std::mutex& long_chunks) const;

  /// The next chunk from `decoded`, but for its ordinal, and the number of its units; nothing at
  /// the end. `eager` takes what a pipe has delivered. Throws InputFault.
  std::optional<std::uint64_t> next(Chunk& chunk, bool eager);

  InputFile input;
  std::size_t index;
  bool in_blocks = false;
  std::uint64_t block_bytes = 0;
  std::uint64_t first_byte = 0;
  std::uint64_t next_block = 0;
  std::uint64_t end_byte = UINT64_MAX;
  std::unique_ptr<InputBytes> decoded;
  bool compressed = false;

  // Under the reader's mutex.
  bool taken = false;          ///< by a thread that cuts its next chunk
  std::uint64_t consumed = 0;  ///< by the chunks that were cut
  std::exception_ptr failure;  ///< to be thrown once no file before it is open

 private:
  std::size_t mark_bytes_in(std::string_view page) const;
  NamedColumns named_columns(std::string_view header) const;
  std::size_t take_mark(std::span<const char> bytes);
  std::size_t take_header(std::span<const char> bytes);
  /// At the end of an input, where the last unit may lack delimiters.
  std::uint64_t count_last_units(std::span<const char> bytes) const;
  std::size_t cut_after_last_unit(std::span<const char> bytes) const noexcept;
  [[noreturn]] void fail_at(const Place& place, const std::string& problem) const;
  [[noreturn]] void fail_cut_short(const Place& place, std::uint64_t rest) const;
  [[noreturn]] void refuse_long(const Place& place) const;
  std::uint64_t end_of_unit(std::uint64_t from, std::uint64_t most) const;

  /// The place of what `decoded` gives next; the line is known where that begins with the file.
  Place next_place() const noexcept {
    return {index, offset_, begins_inside_ ? kUnknownLine : line_};
  }

  std::uint64_t mark_bytes_ = 0;  ///< at the beginning of a file in blocks
  bool has_header_;               ///< which is still to be left out
  bool begins_inside_ = false;    ///< `decoded` does not begin with the file
  NamedColumns columns_{};
  std::vector<char> carry_;  ///< the beginning of a unit that the last chunk left behind
  std::uint64_t offset_ = 0;
  std::uint64_t line_ = 0;
  std::uint64_t sequence_ = 0;
  const UnitFraming& framing_;
};

}  // namespace crivo::input
