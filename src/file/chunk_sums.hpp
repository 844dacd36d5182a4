// SPDX-License-Identifier: Apache-2.0
/// The checksums of a section's chunks, as it is written.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "hashing/stream_hash.hpp"

namespace crivo::file {

/// Hashes a section that comes piece by piece, a chunk (layout::kChunkBytes) after the other. Holds
/// 8 bytes for each.
class ChunkSums {
 public:
  /// Throws std::bad_alloc, as all members that add.
  void add(base::ByteView piece);
  /// The checksums of all chunks, encoded; the last may be short. Call once, last.
  base::Bytes finish();

 private:
  void end_chunk();

  base::FieldWriter sums_;
  hashing::StreamHash hash_;    ///< of the chunk that is begun
  std::uint64_t in_chunk_ = 0;  ///< its bytes so far
};

}  // namespace crivo::file
