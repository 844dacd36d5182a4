// SPDX-License-Identifier: Apache-2.0
/// What of a fetched file is missing, where it comes from, and that it is right.
#include <algorithm>
#include <utility>

#include "crivo/error.hpp"
#include "file/fetched_file.hpp"
#include "file/hash_tree.hpp"

namespace crivo::file {

ByteRange FetchedFile::chunk_of(const SectionEntry& section, std::uint64_t chunk) const noexcept {
  const std::uint64_t begin = chunk * layout::kChunkBytes;
  return {section.offset + begin, std::min(layout::kChunkBytes, section.length - begin)};
}

base::ByteView FetchedFile::bytes_in(const ByteRange& range) const noexcept {
  return bytes_.subspan(range.offset, range.length);
}

/// The hash at a byte of the lists of a section.
Digest FetchedFile::hash_in_lists(const SectionEntry& section, std::uint64_t at) const noexcept {
  Digest hash;
  std::ranges::copy(bytes_in({leaves_at_ + section.lists_at + at, tree::kHashBytes}), hash.begin());
  return hash;
}

ByteRange FetchedFile::bytes_of(const Piece& piece) const {
  const tree::List list = tree::lists_in(piece.section->length)[piece.list];
  const std::uint64_t begin = piece.number * tree::kPieceBytes;
  return {leaves_at_ + piece.section->lists_at + list.at + begin,
          std::min(tree::kPieceBytes, list.bytes - begin)};
}

/// Those from the chunk's leaf up to the section's hash which are not here.
void FetchedFile::add_pieces(const SectionEntry& section, std::uint64_t chunk,
                             std::vector<Piece>& pieces) const {
  const std::size_t lists = tree::lists_in(section.length).size();
  std::uint64_t number = chunk;
  for (std::size_t list = 0; list < lists; ++list) {
    number /= tree::kHashesOfPiece;
    const Piece piece{&section, list, number};
    if (!pieces_.contains(bytes_of(piece).offset)) pieces.push_back(piece);
  }
}

FetchedFile::Missing FetchedFile::missing(std::span<const SectionPart> parts) const {
  Missing missing;
  for (const SectionPart& part : parts) {
    if (part.length == 0 || is_copied(part)) continue;
    const std::uint64_t last = (part.begin + part.length - 1) / layout::kChunkBytes;
    for (std::uint64_t chunk = part.begin / layout::kChunkBytes; chunk <= last; ++chunk) {
      const std::uint64_t number = part.section->first_chunk + chunk;
      if (kept_.contains(number) || cached_.contains(number)) continue;
      missing.chunks.emplace_back(part.section, chunk);
      add_pieces(*part.section, chunk, missing.pieces);
    }
  }
  const auto unique = [](auto& all) {
    std::ranges::sort(all);
    const auto rest = std::ranges::unique(all);
    all.erase(rest.begin(), rest.end());
  };
  unique(missing.pieces);
  unique(missing.chunks);
  return missing;
}

std::vector<ByteRange> FetchedFile::ranges_of(const Missing& missing) const {
  std::vector<ByteRange> wanted;
  wanted.reserve(missing.pieces.size() + missing.chunks.size());
  for (const Piece& piece : missing.pieces) wanted.push_back(bytes_of(piece));
  for (const auto& [section, chunk] : missing.chunks) wanted.push_back(chunk_of(*section, chunk));
  std::ranges::sort(wanted, {}, &ByteRange::offset);
  std::vector<ByteRange> ranges;
  for (ByteRange& range : wanted) {
    if (range.offset >= tail_at_) break;
    range.length = std::min(range.length, tail_at_ - range.offset);
    if (!ranges.empty() && ranges.back().offset + ranges.back().length == range.offset) {
      ranges.back().length += range.length;
    } else {
      ranges.push_back(range);
    }
  }
  return ranges;
}

/// What stands for it in the list above, or in the table.
Digest FetchedFile::hash_above(const Piece& piece) const {
  const std::vector<tree::List> lists = tree::lists_in(piece.section->length);
  if (piece.list + 1 == lists.size()) return piece.section->hash;
  return hash_in_lists(*piece.section, lists[piece.list + 1].at + piece.number * tree::kHashBytes);
}

Digest FetchedFile::hash_above(const Chunk& chunk) const noexcept {
  const auto& [section, number] = chunk;
  if (section->length <= layout::kChunkBytes) return section->hash;
  return hash_in_lists(*section, number * tree::kHashBytes);
}

void FetchedFile::check_piece(const Piece& piece) {
  const ByteRange range = bytes_of(piece);
  if (hashing::sha256(bytes_in(range)) != hash_above(piece))
    container_->fail("damaged: the leaves of section " + std::to_string(piece.section->type) +
                     " fail the hash tree");
  pieces_.insert(range.offset);
}

/// Of a section of one chunk the table has the hash of the leaf.
bool FetchedFile::has_leaf(const Chunk& chunk, const Digest& leaf) const {
  const bool is_only = chunk.first->length <= layout::kChunkBytes;
  return (is_only ? hashing::sha256(leaf) : leaf) == hash_above(chunk);
}

void FetchedFile::check_leaf(const Chunk& chunk, const Digest& leaf) const {
  if (has_leaf(chunk, leaf)) return;
  const ByteRange range = chunk_of(*chunk.first, chunk.second);
  throw Error(ErrorKind::corrupt,
              name_ + ": damaged: bytes " + std::to_string(range.offset) + " to " +
                  std::to_string(range.offset + range.length) + " fail the hash tree",
              {.file = name_, .line = {}, .section = {}, .byte = range.offset});
}

/// Two at a time, which takes as long as one. Those that are right go to `here`.
void FetchedFile::check_chunks(std::span<const Chunk> chunks,
                               std::unordered_set<std::uint64_t>& here) const {
  const auto bytes = [&](const Chunk& chunk) {
    return bytes_in(chunk_of(*chunk.first, chunk.second));
  };
  const auto check = [&](const Chunk& chunk, const Digest& leaf) {
    check_leaf(chunk, leaf);
    here.insert(chunk.first->first_chunk + chunk.second);
  };
  for (; chunks.size() >= 2; chunks = chunks.subspan(2)) {
    const auto [first, second] = hashing::Sha256::of_both(bytes(chunks[0]), bytes(chunks[1]));
    check(chunks[0], first);
    check(chunks[1], second);
  }
  if (!chunks.empty()) check(chunks[0], hashing::sha256(bytes(chunks[0])));
}

void FetchedFile::require(std::span<const SectionPart> parts, bool kept) {
  std::vector<SectionPart> some;
  for (SectionPart part : parts) {
    for (; part.length > kMostAtOnce; part.begin += kMostAtOnce, part.length -= kMostAtOnce) {
      const SectionPart first{part.section, part.begin, kMostAtOnce};
      require_some({&first, 1}, kept);
    }
    some.push_back(part);
  }
  require_some(some, kept);
}

void FetchedFile::require_some(std::span<const SectionPart> parts, bool kept) {
  Missing missing = this->missing(parts);
  if (caches_.disk != nullptr) take_cached(missing, kept ? kept_ : cached_);
  read(ranges_of(missing));
  // The last list of a section is checked first: it vouches for the one before it.
  for (auto piece = missing.pieces.rbegin(); piece != missing.pieces.rend(); ++piece)
    check_piece(*piece);
  check_chunks(missing.chunks, kept ? kept_ : cached_);
  if (caches_.disk != nullptr) keep_cached(missing);
}

/// Whether what stands above it is here and right.
bool FetchedFile::is_vouched_for(const Piece& piece) const {
  if (piece.list + 1 == tree::lists_in(piece.section->length).size()) return true;
  const Piece above{piece.section, piece.list + 1, piece.number / tree::kHashesOfPiece};
  return pieces_.contains(bytes_of(above).offset);
}

/// Puts what the cache on disk has by the hash to its place, if is_right(its SHA-256).
template <typename IsRight>
bool FetchedFile::take_cached(const Digest& hash, const ByteRange& range, const IsRight& is_right) {
  base::Bytes bytes(range.length);
  if (!caches_.disk->read(hash, bytes) || !is_right(hashing::sha256(bytes))) return false;
  put(range.offset, bytes);
  return true;
}

/// Takes from what is missing what the cache on disk has, and what came with an end. A list vouches
/// for the one before it, and the first for chunks, so what is not there ends the way.
void FetchedFile::take_cached(Missing& missing, std::unordered_set<std::uint64_t>& here) {
  const auto take_piece = [&](const Piece& piece) {
    if (!is_vouched_for(piece)) return false;
    const ByteRange range = bytes_of(piece);
    if (range.offset >= tail_at_) {
      check_piece(piece);
      return true;
    }
    const Digest hash = hash_above(piece);
    if (!take_cached(hash, range, [&](const Digest& found) { return found == hash; })) return false;
    pieces_.insert(range.offset);
    return true;
  };
  const auto take_chunk = [&](const Chunk& chunk) {
    const auto& [section, number] = chunk;
    const ByteRange range = chunk_of(*section, number);
    const Piece leaf{section, 0, number / tree::kHashesOfPiece};
    const bool is_known =
        section->length <= layout::kChunkBytes || pieces_.contains(bytes_of(leaf).offset);
    if (!is_known || range.offset >= tail_at_ ||
        !take_cached(hash_above(chunk), range,
                     [&](const Digest& found) { return has_leaf(chunk, found); }))
      return false;
    here.insert(section->first_chunk + number);
    return true;
  };
  std::vector<Piece> pieces;
  for (auto piece = missing.pieces.rbegin(); piece != missing.pieces.rend(); ++piece)
    if (!take_piece(*piece)) pieces.push_back(*piece);
  std::ranges::reverse(pieces);
  missing.pieces = std::move(pieces);
  std::erase_if(missing.chunks, take_chunk);
}

/// Keeps on disk what was missing, and has come and was checked since.
void FetchedFile::keep_cached(const Missing& missing) const {
  const auto keep = [&](const Digest& hash, const ByteRange& range) {
    if (range.offset < tail_at_) caches_.disk->keep(hash, bytes_in(range));
  };
  for (const Piece& piece : missing.pieces) keep(hash_above(piece), bytes_of(piece));
  for (const Chunk& chunk : missing.chunks)
    keep(hash_above(chunk), chunk_of(*chunk.first, chunk.second));
}

}  // namespace crivo::file
