// SPDX-License-Identifier: Apache-2.0
#include "file/chunk_sums.hpp"

#include <algorithm>

#include "file/layout.hpp"

namespace crivo::file {

void ChunkSums::add(base::ByteView piece) {
  while (!piece.empty()) {
    const std::size_t size = std::min<std::size_t>(piece.size(), layout::kChunkBytes - in_chunk_);
    hash_.add(piece.first(size));
    in_chunk_ += size;
    piece = piece.subspan(size);
    if (in_chunk_ == layout::kChunkBytes) end_chunk();
  }
}

void ChunkSums::end_chunk() {
  sums_.u64(hash_.value());
  hash_.reset();
  in_chunk_ = 0;
}

base::Bytes ChunkSums::finish() {
  if (in_chunk_ != 0) end_chunk();
  return sums_.take();
}

}  // namespace crivo::file
