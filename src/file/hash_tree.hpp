// SPDX-License-Identifier: Apache-2.0
/// The hash tree of a file ("Hash tree" in formats/crivo-1.md): the SHA-256 of each chunk, their
/// list, the lists of its pieces, and of the last list the hash that stands in the table.
///
/// The checksums of a section's chunks, and the leaves of its hash tree, as it is written.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "file/content_id.hpp"

namespace crivo::file {

/// The hash that a file's hash tree is made of.
enum class HashTree : std::uint32_t {
  none = 0,
  sha256 = 1,
};

namespace tree {

inline constexpr std::uint64_t kHashBytes = sizeof(Digest);
/// A longer list is cut into pieces of this size: so much of it is read to check one chunk.
inline constexpr std::uint64_t kPieceBytes = 4096;
inline constexpr std::uint64_t kHashesOfPiece = kPieceBytes / kHashBytes;

/// One of a section's lists.
struct List {
  std::uint64_t at;  ///< in the bytes of all its lists
  std::uint64_t bytes;
};
/// From that of the leaves to the one whose hash is the section's; none for a section of one chunk,
/// whose hash follows from it. O(log section_bytes).
std::vector<List> lists_in(std::uint64_t section_bytes);

/// The bytes of lists_in() in the section of leaves.
std::uint64_t bytes_of_lists(std::uint64_t section_bytes) noexcept;

/// The lists over a section's leaves, of any length, and the hash that they lead to.
struct Lists {
  base::Bytes bytes;
  Digest hash;
};
Lists lists_of(base::Bytes leaves);

/// The first byte in `lists`, those of a section with more than one chunk, of what does not have
/// the hash that stands above it (in the next list, or `hash`): nothing if all has.
std::optional<std::uint64_t> find_fault(base::ByteView lists, std::uint64_t section_bytes,
                                        const Digest& hash);

}  // namespace tree

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
