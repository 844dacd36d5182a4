// SPDX-License-Identifier: Apache-2.0
#include "file/chunk_hashes.hpp"

#include <xxhash.h>

#include <algorithm>

#include "file/layout.hpp"

namespace crivo::file {

void ChunkHashes::add(base::ByteView piece) {
  while (!piece.empty()) {
    const std::size_t size =
        std::min<std::size_t>(piece.size(), layout::kChunkBytes - begun_.size());
    if (size == layout::kChunkBytes) {
      add_chunk(piece.first(size));
    } else {
      begun_.insert(begun_.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(size));
    }
    if (begun_.size() == layout::kChunkBytes) {
      add_chunk(begun_);
      begun_.clear();
    }
    piece = piece.subspan(size);
  }
}

void ChunkHashes::add_chunk(base::ByteView chunk) {
  sums_.u64(XXH3_64bits(chunk.data(), chunk.size()));
  if (tree_ != HashTree::none) leaves_.bytes(hashing::sha256(chunk));
}

ChunkHashes::Hashes ChunkHashes::finish() {
  if (!begun_.empty()) add_chunk(begun_);
  return {sums_.take(), leaves_.take()};
}

}  // namespace crivo::file
