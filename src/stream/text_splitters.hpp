// SPDX-License-Identifier: Apache-2.0
/// Texts that divide all texts, in byte order, into pieces of about one size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace crivo::stream {

/// Bytes of a text that a slice holds.
inline constexpr std::size_t kSliceBytes = 7;

/// Up to kSliceBytes bytes of `text` from `depth` (at most its size) on, from the highest byte of
/// the number down, and in its lowest byte how many bytes are left, at most kSliceBytes + 1. Of two
/// texts that are equal before `depth`, the one with the lower slice is the lower one, bytes being
/// unsigned and a text before those that it begins; those with equal slices are equal if the slice
/// is_last(), else they are to be compared from depth + kSliceBytes on.
inline std::uint64_t slice_at(std::string_view text, std::size_t depth) noexcept {
  const char* const at = text.data() + depth;
  const std::size_t left = text.size() - depth;
  std::uint64_t word = 0;
  if (left > kSliceBytes) {
    word = base::load_be<std::uint64_t>(at);
  } else {
    for (std::size_t i = 0; i < left; ++i)
      word |= std::uint64_t{static_cast<unsigned char>(at[i])} << (56 - 8 * i);
  }
  return (word & ~std::uint64_t{0xff}) | std::min(left, kSliceBytes + 1);
}

/// Whether a text ends within the slice.
inline bool is_last(std::uint64_t slice) noexcept {
  return (slice & 0xff) <= kSliceBytes;
}

/// Bounds in ascending order: piece p holds the texts from bound p - 1 on, and before bound p. All
/// texts of a piece begin with what its two bounds share, so that this need be kept only once.
///
/// A text's piece is found in a tree whose nodes skip what all of their bounds begin with, and seek
/// the next few bytes among theirs, as numbers, without a branch that depends on them.
class TextSplitters {
 public:
  /// A single piece.
  TextSplitters() : TextSplitters(std::vector<std::string>()) {}
  /// The splitters of the texts that `sample` is a part of, repeats included, into about `pieces`.
  /// A text that is as much of the sample as a piece has one of its own.
  static TextSplitters of_sample(std::vector<std::string_view> sample, std::size_t pieces);

  TextSplitters(TextSplitters&&) = default;
  TextSplitters& operator=(TextSplitters&&) = default;
  TextSplitters(const TextSplitters&) = delete;
  TextSplitters& operator=(const TextSplitters&) = delete;
  ~TextSplitters() = default;

  std::size_t pieces() const noexcept { return bounds_.size() + 1; }
  /// The piece of a text. Any thread; O(log pieces) and the bytes of the text that are compared.
  std::size_t piece_of(std::string_view text) const noexcept;
  /// Returns the text that all texts of a piece begin with.
  std::string_view shared(std::size_t piece) const noexcept { return shared_[piece]; }
  /// Whether a piece holds nothing but the text shared(), however often.
  bool is_one_text(std::size_t piece) const noexcept { return one_text_[piece]; }

 private:
  /// `bounds` ascend.
  explicit TextSplitters(std::vector<std::string> bounds);

  static constexpr std::uint32_t kNoNode = UINT32_MAX;

  struct Node {
    std::string_view skip;  ///< that its bounds begin with, behind what led to the node
    std::uint32_t begin;    ///< of its bounds
    std::uint32_t end;
    std::uint32_t slices;  ///< the first of its distinct slices
    std::uint32_t slice_count;
  };
  /// Bounds with one slice.
  struct Group {
    std::uint32_t begin;
    std::uint32_t node;  ///< that compares what is behind the slice
  };

  std::uint32_t add_node(std::uint32_t begin, std::uint32_t end, std::size_t depth);

  std::vector<std::string> bounds_;
  std::vector<std::string_view> shared_;  ///< of each piece, in the bounds
  std::vector<char> one_text_;
  std::vector<Node> nodes_;  ///< the first is the root
  std::vector<std::uint64_t> slices_;
  std::vector<Group> groups_;  ///< of each slice
};

}  // namespace crivo::stream
