// SPDX-License-Identifier: Apache-2.0
/// The checksums of a section's chunks, and the leaves of its hash tree, as it is written.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "file/hash_tree.hpp"
#include "hashing/sha256.hpp"
#include "hashing/stream_hash.hpp"

namespace crivo::file {

/// Hashes a section that comes piece by piece, a chunk (layout::kChunkBytes) after the other. Holds
/// 40 bytes for each, or 8 where there is no tree.
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
  void end_chunk();

  HashTree tree_;
  base::FieldWriter sums_;
  base::FieldWriter leaves_;
  hashing::StreamHash sum_;     ///< of the chunk that is begun
  hashing::Sha256 leaf_;        ///< the same
  std::uint64_t in_chunk_ = 0;  ///< its bytes so far
};

}  // namespace crivo::file
