// SPDX-License-Identifier: Apache-2.0
/// The checksums of a section's chunks, and the leaves of its hash tree, as it is written.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "file/hash_tree.hpp"

namespace crivo::file {

/// Hashes a section that comes piece by piece, two chunks (layout::kChunkBytes) at a time, as the
/// leaves of two take as long as one. Holds those that are begun, and 40 bytes for each chunk (8
/// where there is no tree).
class ChunkHashes {
 public:
  explicit ChunkHashes(HashTree tree) : tree_(tree) {}

  /// Throws std::bad_alloc, as all members that add.
  void add(base::ByteView piece);

  struct Hashes {
    base::Bytes sums;    ///< the checksums of all chunks, encoded; the last may be short
    base::Bytes leaves;  ///< nothing where there is no tree
  };
  /// Call once, last.
  Hashes finish();

 private:
  void add_chunks(base::ByteView chunks);

  HashTree tree_;
  base::FieldWriter sums_;
  base::FieldWriter leaves_;
  base::Bytes begun_;  ///< of two chunks: whole ones are hashed at once, which is quicker
};

}  // namespace crivo::file
