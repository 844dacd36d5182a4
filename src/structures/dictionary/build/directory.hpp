// SPDX-License-Identifier: Apache-2.0
/// Building the directory that structures/dictionary/directory.hpp reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "base/spool.hpp"
#include "structures/dictionary/directory.hpp"
#include "structures/dictionary/values.hpp"

namespace crivo::dictionary {

/// Writes numbers in the order of their ids.
class ValueWriter {
 public:
  /// Puts into `scratch`, unless that is null, what memory has no room for.
  ValueWriter(unsigned block_keys, base::Scratch* scratch)
      : block_keys_(block_keys), heads_(scratch), packed_(scratch) {}

  void add(std::uint64_t value);
  /// The bytes of the section, if all was added.
  std::uint64_t bytes() const noexcept { return heads_.size() + packed_.size(); }
  /// Writes the section. Once, last.
  void finish(base::Sink& to);

 private:
  void close();

  unsigned block_keys_;
  std::vector<std::uint64_t> open_;  ///< of the block that is not full
  base::Spool heads_;
  base::Spool packed_;
};

/// Builds a directory from the separators, in order.
class DirectoryBuilder {
 public:
  /// Puts into `scratch`, unless that is null, what memory has no room for.
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
