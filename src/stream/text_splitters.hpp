// SPDX-License-Identifier: Apache-2.0
/// Texts that divide all texts, in byte order, into pieces of about one size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crivo::stream {

/// Bounds in ascending order: piece p holds the texts from bound p - 1 on, and before bound p. All
/// texts of a piece begin with what its two bounds share, so that this need be kept only once.
///
/// A text's piece is found in a tree whose nodes skip what all of their bounds begin with, and seek
/// the next few bytes among theirs, as numbers, without a branch that depends on them.
class TextSplitters {
 public:
  /// A single piece.
  TextSplitters() : TextSplitters(std::vector<std::string>()) {}
  /// Of the texts that `sample` is a part of, repeats included, about `pieces`. A text that is as
  /// much of the sample as a piece has one of its own.
  static TextSplitters of_sample(std::vector<std::string_view> sample, std::size_t pieces);

  TextSplitters(TextSplitters&&) = default;
  TextSplitters& operator=(TextSplitters&&) = default;
  TextSplitters(const TextSplitters&) = delete;
  TextSplitters& operator=(const TextSplitters&) = delete;
  ~TextSplitters() = default;

  std::size_t pieces() const noexcept { return bounds_.size() + 1; }
  /// The piece of a text. Any thread; O(log pieces) and the bytes of the text that are compared.
  std::size_t piece_of(std::string_view text) const noexcept;
  /// What all texts of a piece begin with.
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
