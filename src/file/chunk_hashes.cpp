// SPDX-License-Identifier: Apache-2.0
#include "file/chunk_hashes.hpp"

#include <xxhash.h>

#include <algorithm>

#include "file/layout.hpp"

namespace crivo::file {
namespace {

constexpr std::size_t kTwoChunks = 2 * layout::kChunkBytes;

}  // namespace

void ChunkHashes::add(base::ByteView piece) {
  while (!piece.empty()) {
    const std::size_t size = std::min<std::size_t>(piece.size(), kTwoChunks - begun_.size());
    if (size == kTwoChunks) {
      add_chunks(piece.first(size));
    } else {
      begun_.insert(begun_.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(size));
    }
    if (begun_.size() == kTwoChunks) {
      add_chunks(begun_);
      begun_.clear();
    }
    piece = piece.subspan(size);
  }
}

/// One or two.
void ChunkHashes::add_chunks(base::ByteView chunks) {
  const base::ByteView first =
      chunks.first(std::min<std::size_t>(chunks.size(), layout::kChunkBytes));
  const base::ByteView second = chunks.subspan(first.size());
  sums_.u64(XXH3_64bits(first.data(), first.size()));
  if (!second.empty()) sums_.u64(XXH3_64bits(second.data(), second.size()));
  if (tree_ == HashTree::none) return;
  if (second.empty()) {
    leaves_.bytes(hashing::sha256(first));
  } else {
    for (const Digest& leaf : hashing::Sha256::of_both(first, second)) leaves_.bytes(leaf);
  }
}

ChunkHashes::Hashes ChunkHashes::finish() {
  if (!begun_.empty()) add_chunks(begun_);
  return {sums_.take(), leaves_.take()};
}

}  // namespace crivo::file
