// SPDX-License-Identifier: Apache-2.0
#include "file/hash_tree.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/arithmetic.hpp"
#include "file/content_id.hpp"
#include "file/layout.hpp"

namespace crivo::file::tree {
namespace {

using hashing::sha256;

/// The bytes of a section's first list: none of one chunk.
constexpr std::uint64_t leaf_bytes(std::uint64_t section_bytes) noexcept {
  const std::uint64_t chunks = layout::chunks_of(section_bytes);
  return chunks < 2 ? 0 : chunks * kHashBytes;
}

/// The bytes of the list after one of so many bytes: none after the last.
constexpr std::uint64_t bytes_above(std::uint64_t bytes) noexcept {
  return bytes <= kPieceBytes ? 0 : base::div_ceil(bytes, kPieceBytes) * kHashBytes;
}

/// Calls use(piece, where it begins) for each piece of a list.
template <typename Use>
void for_each_piece(base::ByteView list, Use&& use) {
  for (std::uint64_t at = 0; at < list.size(); at += kPieceBytes)
    use(list.subspan(at, std::min(kPieceBytes, list.size() - at)), at);
}

}  // namespace

std::vector<List> lists_in(std::uint64_t section_bytes) {
  std::vector<List> lists;
  std::uint64_t at = 0;
  for (std::uint64_t bytes = leaf_bytes(section_bytes); bytes != 0; bytes = bytes_above(bytes)) {
    lists.push_back({at, bytes});
    at += bytes;
  }
  return lists;
}

std::uint64_t bytes_of_lists(std::uint64_t section_bytes) noexcept {
  std::uint64_t all = 0;
  for (std::uint64_t bytes = leaf_bytes(section_bytes); bytes != 0; bytes = bytes_above(bytes))
    all += bytes;
  return all;
}

Lists lists_of(base::Bytes leaves) {
  Lists lists{std::move(leaves), {}};
  std::size_t last = 0;  // where the last list begins
  while (lists.bytes.size() - last > kPieceBytes) {
    base::Bytes next;
    for_each_piece(base::ByteView(lists.bytes).subspan(last), [&](base::ByteView piece, auto) {
      const Digest hash = sha256(piece);
      next.insert(next.end(), hash.begin(), hash.end());
    });
    last = lists.bytes.size();
    lists.bytes.insert(lists.bytes.end(), next.begin(), next.end());
  }
  lists.hash = sha256(base::ByteView(lists.bytes).subspan(last));
  return lists;
}

std::optional<std::uint64_t> find_fault(base::ByteView lists, std::uint64_t section_bytes,
                                        const Digest& hash) {
  std::optional<std::uint64_t> fault;
  const std::vector<List> all = lists_in(section_bytes);
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const base::ByteView above = lists.subspan(all[i + 1].at, all[i + 1].bytes);
    for_each_piece(
        lists.subspan(all[i].at, all[i].bytes), [&](base::ByteView piece, std::uint64_t begin) {
          const base::ByteView wanted = above.subspan(begin / kPieceBytes * kHashBytes, kHashBytes);
          if (!fault && !std::ranges::equal(sha256(piece), wanted)) fault = all[i].at + begin;
        });
  }
  const List& last = all.back();
  if (!fault && sha256(lists.subspan(last.at, last.bytes)) != hash) fault = last.at;
  return fault;
}

}  // namespace crivo::file::tree

namespace crivo::file {

ContentId content_hash(base::ByteView bytes) noexcept {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  ContentId id;
  static_assert(sizeof canonical.digest == sizeof id);
  std::memcpy(id.data(), canonical.digest, id.size());
  return id;
}

std::string to_hex(base::ByteView id) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const std::byte b : id) {
    hex += kDigits[std::to_integer<unsigned>(b >> 4)];
    hex += kDigits[std::to_integer<unsigned>(b & std::byte{15})];
  }
  return hex;
}

}  // namespace crivo::file

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
