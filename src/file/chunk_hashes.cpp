// SPDX-License-Identifier: Apache-2.0
#include "file/chunk_hashes.hpp"

#include <algorithm>

#include "file/layout.hpp"

namespace crivo::file {

void ChunkHashes::add(base::ByteView piece) {
  while (!piece.empty()) {
    const std::size_t size = std::min<std::size_t>(piece.size(), layout::kChunkBytes - in_chunk_);
    sum_.add(piece.first(size));
    if (tree_ != HashTree::none) leaf_.add(piece.first(size));
    in_chunk_ += size;
    piece = piece.subspan(size);
    if (in_chunk_ == layout::kChunkBytes) end_chunk();
  }
}

void ChunkHashes::end_chunk() {
  sums_.u64(sum_.value());
  sum_.reset();
  if (tree_ != HashTree::none) {
    leaves_.bytes(leaf_.value());
    leaf_.reset();
  }
  in_chunk_ = 0;
}

ChunkHashes::Hashes ChunkHashes::finish() {
  if (in_chunk_ != 0) end_chunk();
  return {sums_.take(), leaves_.take()};
}

}  // namespace crivo::file
