// SPDX-License-Identifier: Apache-2.0
/// A file of which only some chunks are here, or only some were checked: those that were required,
/// each by the hash tree.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "crivo/remote.hpp"
#include "file/chunk_cache.hpp"
#include "file/container.hpp"
#include "file/copied_ends.hpp"
#include "file/mapped_file.hpp"

namespace crivo::file {

/// The bytes of a section that something looks at.
struct SectionPart {
  const SectionEntry* section = nullptr;
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
};

/// The bytes of a ByteSource, in a mapping as long as the file, which holds zeros where nothing was
/// read. Structures over opened() touch what they read: what of that is not here is wanted from
/// then on, and their answer rests on damage until it was fetched.
class FetchedFile final : public AwaitedBytes {
 public:
  /// Is told of the header and the table, and the text of the signature, before anything else that
  /// they name is read.
  using Check = std::function<void(const Container& container, const std::string& signature)>;

  /// Where what was fetched is kept.
  struct Caches {
    std::uint64_t bytes;         ///< in memory, about
    ChunkCache* disk = nullptr;  ///< may be null
  };

  /// The ends of a file, as the constructor wants them. Throws what the source does.
  static FileEnds ends_of(ByteSource& source);
  /// Checks the ends of the file as Container::open() does, and reads the directory if they have
  /// not all of it. `name` is what messages call it. Throws Error(corrupt, too_new, io),
  /// Error(usage) for a manifest and a file without a hash tree, and what the source and `check`
  /// throw.
  FetchedFile(std::unique_ptr<ByteSource> source, const FileEnds& ends, std::string name,
              const Caches& caches, const Check& check);
  /// A file whose bytes are all in memory: what is required is checked where it is, once. Throws
  /// the same.
  FetchedFile(MappedFile whole, std::string name);
  ~FetchedFile() override;
  FetchedFile(const FetchedFile&) = delete;
  FetchedFile& operator=(const FetchedFile&) = delete;

  /// The container. Only those bytes of the section may be looked at that parts have which were
  /// required.
  const Container& container() const noexcept { return *container_; }
  /// The container once more, for structures that touch what they read. Throws Error(corrupt) where
  /// what is read at open is not here, which then is wanted. This must outlive it.
  Container opened();

  bool has(base::ByteView some) noexcept override;
  /// Whether something is wanted.
  bool wants() const noexcept { return wanted_bytes_.load(std::memory_order_relaxed) != 0; }
  std::uint64_t wanted_bytes() const noexcept {
    return wanted_bytes_.load(std::memory_order_relaxed);
  }
  /// Requires what is wanted, and `ahead` bytes of the same section behind each part of it.
  void fetch_wanted(std::uint64_t ahead);
  /// Lets go of chunks that were not `kept`, if they are more than the cache may have: not between
  /// the fetching of something and its use.
  void make_room();
  /// Requires, to be kept, what structures look at when they are opened, as far as that can be
  /// known before: sections of one chunk, those that are decoded, and ends of others. Throws what
  /// require() does.
  void require_opening();
  /// Requires every byte, to be kept. Throws what require() does.
  void require_all();
  /// Requires every byte, some at a time, and keeps none that the cache has no room for: then each
  /// was compared with the tree. Throws what require() does.
  void check_all(const std::function<void(std::uint64_t)>& progress);

  /// Makes sure that the parts are here, from the cache on disk or with one call of the source at
  /// most, and one more for each 16 MiB of a longer part: what it takes is never much more than was
  /// found right. Those that are not `kept` may go when others are required later. Throws
  /// Error(corrupt) for a chunk that the hash tree does not have, Error(io) if the source gives
  /// another number of bytes, and what it throws: then the parts are not here.
  void require(std::span<const SectionPart> parts, bool kept);

 private:
  class Pages;
  using Chunk = std::pair<const SectionEntry*, std::uint64_t>;

  /// A piece of one of a section's lists.
  struct Piece {
    const SectionEntry* section = nullptr;
    std::size_t list = 0;
    std::uint64_t number = 0;

    friend auto operator<=>(const Piece&, const Piece&) = default;
  };

  /// The required pieces and chunks that are not here.
  struct Missing {
    std::vector<Piece> pieces;
    std::vector<Chunk> chunks;
  };

  /// Lengths that a file without a signature claims cost nothing until their bytes come: at most so
  /// much of what is required is read, then checked, at once.
  static constexpr std::uint64_t kMostAtOnce = std::uint64_t{16} << 20;

  void open();
  void take_ends(const FileEnds& ends);
  void require_some(std::span<const SectionPart> parts, bool kept);
  void read_table();
  void read_directory();
  Missing missing(std::span<const SectionPart> parts) const;
  bool is_copied(const SectionPart& part) const noexcept;
  void add_pieces(const SectionEntry& section, std::uint64_t chunk,
                  std::vector<Piece>& pieces) const;
  std::vector<ByteRange> ranges_of(const Missing& missing) const;
  void read(std::span<const ByteRange> ranges);
  void put(std::uint64_t offset, std::span<const std::byte> bytes) noexcept;
  void put_copies() noexcept;
  void forget_pages() noexcept;
  static bool has_leaves(const SectionEntry& section) noexcept;
  bool is_here(const ByteRange& range) const noexcept;
  void want(const ByteRange& range) noexcept;
  /// Calls use(part) for what of the range lies in sections, in order.
  template <typename Use>
  void for_each_part(const ByteRange& range, Use&& use) const;
  ByteRange chunk_of(const SectionEntry& section, std::uint64_t chunk) const noexcept;
  Digest hash_in_lists(const SectionEntry& section, std::uint64_t at) const noexcept;
  ByteRange bytes_of(const Piece& piece) const;
  Digest hash_above(const Piece& piece) const;
  Digest hash_above(const Chunk& chunk) const noexcept;
  bool is_vouched_for(const Piece& piece) const;
  void check_piece(const Piece& piece);
  base::ByteView bytes_in(const ByteRange& range) const noexcept;
  void check_chunks(std::span<const Chunk> chunks, std::unordered_set<std::uint64_t>& here) const;
  bool has_leaf(const Chunk& chunk, const Digest& leaf) const;
  void check_leaf(const Chunk& chunk, const Digest& leaf) const;
  void take_cached(Missing& missing, std::unordered_set<std::uint64_t>& here);
  template <typename IsRight>
  bool take_cached(const Digest& hash, const ByteRange& range, const IsRight& is_right);
  void keep_cached(const Missing& missing) const;

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  Caches caches_;
  std::optional<MappedFile> whole_;
  std::byte* fetched_ = nullptr;  ///< where the source's bytes are put
  base::ByteView bytes_;
  std::uint64_t tail_at_ = 0;  ///< all from there on is here from the first
  std::unique_ptr<const Container> container_;
  std::uint64_t leaves_at_ = 0;
  std::vector<CopiedEnds> copies_;            ///< what the directory has
  std::unordered_set<std::uint64_t> pieces_;  ///< of lists, by offset, that are here and right
  /// Chunks that are here and right, by SectionEntry::first_chunk and their number.
  std::unordered_set<std::uint64_t> kept_;
  std::unordered_set<std::uint64_t> cached_;
  std::shared_ptr<Pages> pages_;  ///< of opened()
  std::mutex wanting_;
  std::vector<ByteRange> wanted_;
  std::atomic<std::uint64_t> wanted_bytes_ = 0;
};

}  // namespace crivo::file
