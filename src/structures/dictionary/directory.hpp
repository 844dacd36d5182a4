// SPDX-License-Identifier: Apache-2.0
/// Which block of a dictionary a text belongs to.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/scratch.hpp"
#include "base/sink.hpp"
#include "base/spool.hpp"
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
  /// Of the section: u64 where each node begins, and where the last ends; the nodes. Throws
  /// Error(corrupt) where it has another size. O(1).
  Directory(base::ByteView section, std::uint64_t blocks, std::uint64_t node_bytes);

  /// The block, of those that there are, whose separator is the last at or below the text.
  std::uint64_t find(const Query& query) const noexcept;

 private:
  DirectoryShape shape_;
  std::uint64_t blocks_;
  base::ByteView offsets_;
  base::ByteView nodes_;  ///< with the padding behind
  std::uint64_t node_bytes_;
};

/// Builds a directory from the separators, in order.
class DirectoryBuilder {
 public:
  /// What memory has no room for goes to `scratch`, unless that is null.
  explicit DirectoryBuilder(base::Scratch* scratch) : scratch_(scratch) {}

  /// The block after the last one; the first block's separator is empty.
  void add(std::string_view separator) { add(0, separator); }
  /// Writes the section, and returns what Directory gets as `node_bytes`.
  std::uint64_t finish(base::Sink& to);

 private:
  struct Level {
    explicit Level(base::Scratch* scratch) : nodes(scratch), sizes(scratch) {}

    std::uint64_t children = 0;
    std::string left;                ///< the separator of the open node
    std::vector<std::string> texts;  ///< those behind it
    base::Spool nodes;
    base::Spool sizes;  ///< of each node, u64
  };

  void add(std::size_t level, std::string_view separator);
  /// Writes the open node of a level, all of whose texts begin with so many bytes that are known.
  static void close(Level& level, std::size_t skip);

  base::Scratch* scratch_;
  std::vector<Level> levels_;  ///< the lowest first
};

}  // namespace crivo::dictionary
