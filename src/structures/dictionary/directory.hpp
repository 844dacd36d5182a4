// SPDX-License-Identifier: Apache-2.0
/// Which block of a dictionary a text belongs to.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "base/cpu.hpp"
#include "base/page_checks.hpp"
#include "structures/dictionary/query.hpp"

namespace crivo::dictionary {

/// Before each block but the first stands its separator: the shortest text that is above the last
/// key of the block before, and at most the block's first key. They are the texts of a B-tree whose
/// nodes have kFanout children, all full but the last of each level. A node keeps what each of its
/// texts has behind the one before, and nothing of what all of them must begin with.
inline constexpr unsigned kFanout = 32;

/// How many nodes a directory of so many blocks has on each of its levels, the root's first.
class DirectoryShape {
 public:
  explicit DirectoryShape(std::uint64_t blocks) noexcept;

  unsigned levels() const noexcept { return levels_; }
  /// The number of the first node of a level.
  std::uint64_t begin(unsigned level) const noexcept { return begins_[level]; }
  std::uint64_t nodes() const noexcept { return begins_[levels_]; }

 private:
  static constexpr unsigned kMostLevels = 13;  // 32^13 > 2^64
  std::array<std::uint64_t, kMostLevels + 1> begins_{};
  unsigned levels_ = 0;
};

/// A directory in memory, whose bytes are not trusted.
class Directory {
 public:
  /// Opens the section: u64 where each node begins, and where the last ends; the nodes. Throws
  /// Error(corrupt) where it has another size. O(1).
  Directory(const base::CheckedBytes& section, std::uint64_t blocks, std::uint64_t node_bytes);

  /// The block, of those that there are, whose separator is the last at or below the text.
  std::uint64_t find(const Query& query) const noexcept {
    std::uint64_t child = 0;
    for (unsigned level = 0; level < levels(); ++level) child = step(level, child, query);
    return child;
  }
  /// The same a level at a time, from child 0 of level 0 on: which child of the level below it is,
  /// or, of the last one, which block. For any child, one that there is.
  std::uint64_t step(unsigned level, std::uint64_t child, const Query& query) const noexcept;
  unsigned levels() const noexcept { return shape_.levels(); }
  /// Whether the texts of every node lie in it: of others find() takes what does. O(blocks).
  bool is_sound() const noexcept;
  /// Asks for the memory that a step reads.
  [[gnu::always_inline]] void prefetch(unsigned level, std::uint64_t child) const noexcept {
    const Span node = span(level, child);
    base::prefetch_lines(nodes_.data() + node.begin, node.end - node.begin, kPrefetched);
  }

 private:
  static constexpr std::size_t kPrefetched = 6;

  /// Where a node lies in nodes_; empty where it is malformed.
  struct Span {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  Span span(unsigned level, std::uint64_t child) const noexcept {
    const std::uint64_t node = std::min(shape_.begin(level) + child, shape_.begin(level + 1) - 1);
    const std::byte* const at = offsets_.data() + node * sizeof(std::uint64_t);
    pages_.touch(at, 2 * sizeof(std::uint64_t));
    const Span span{base::load_le<std::uint64_t>(at),
                    base::load_le<std::uint64_t>(at + sizeof(std::uint64_t))};
    return span.begin > span.end || span.end > node_bytes_ ? Span() : span;
  }

  base::Pages pages_;
  DirectoryShape shape_;
  std::uint64_t blocks_;
  base::ByteView offsets_;
  base::ByteView nodes_;  ///< with the padding behind
  std::uint64_t node_bytes_;
};

}  // namespace crivo::dictionary
