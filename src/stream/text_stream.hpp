// SPDX-License-Identifier: Apache-2.0
/// Texts from many threads in, texts in byte order out, within a budget of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "stream/run_log.hpp"
#include "stream/sorted_texts.hpp"
#include "stream/text_splitters.hpp"

namespace crivo::stream {

/// A text takes so much beside its bytes while it is sorted.
inline constexpr std::uint64_t kSortedTextBytes = 16;

struct TextStreamOptions {
  unsigned threads = 1;
  /// The bytes of texts in memory, before they go to a temporary file.
  std::uint64_t memory_bytes = UINT64_MAX;
  std::filesystem::path temp_dir{};
};

/// Texts are dealt out to pieces by splitters, without what all texts of a piece begin with, and
/// spilled to a temporary file where they do not fit the memory. Each piece is sorted when it is
/// read; one after the other, they are all texts in order. That depends on the texts alone: not on
/// the splitters, the threads, the memory, or the order in which the texts came.
class TextStream {
 public:
  /// The size of what was added to a piece.
  struct Size {
    std::uint64_t texts = 0;
    std::uint64_t bytes = 0;  ///< of the whole texts

    /// The bytes of memory in which it is sorted and its texts are put together.
    std::uint64_t memory_bytes() const noexcept { return 2 * bytes + kSortedTextBytes * texts; }
  };

  TextStream(TextStreamOptions options, TextSplitters splitters);

  /// Adds a text of less than 4 GiB, on the thread of that number. Throws Error(io).
  void add(unsigned thread, std::string_view text);
  /// Ends the adding, once; what follows is for after it. Throws Error(io).
  void finish();

  std::size_t pieces() const noexcept { return splitters_.pieces(); }
  const Size& size(std::size_t piece) const noexcept { return sizes_[0].of[piece]; }
  /// So many are in all pieces.
  std::uint64_t texts() const noexcept;
  /// Returns the text that all texts of a piece begin with.
  std::string_view shared(std::size_t piece) const noexcept { return splitters_.shared(piece); }
  /// Whether a piece is the text shared(), size().texts times: nothing of it is kept, or read.
  bool is_one_text(std::size_t piece) const noexcept { return splitters_.is_one_text(piece); }
  /// Reads what texts of a piece have behind that, in order, in place of what was in `to`, as long
  /// as this lives. From any thread. Throws Error(io, corrupt).
  void read(std::size_t piece, SortedTexts& to) const;
  /// The texts of a piece once more, divided by splitters of its own, where those of this stream
  /// were taken from other texts; more can be added to it. Throws Error(io, corrupt).
  std::unique_ptr<TextStream> split(std::size_t piece, std::size_t pieces,
                                    std::uint64_t memory_bytes) const;

  std::uint64_t temp_bytes() const noexcept { return log_.temp_bytes(); }

 private:
  struct alignas(64) Sizes {
    std::vector<Size> of;
  };

  /// Calls visit(thread, texts) with the texts of a piece, in no order, on all threads.
  template <typename Visit>
  void for_each_run(std::size_t piece, const Visit& visit) const;

  TextStreamOptions options_;
  TextSplitters splitters_;
  RunLog log_;
  std::vector<Sizes> sizes_;  ///< by each thread; then in the first all of them
};

}  // namespace crivo::stream
