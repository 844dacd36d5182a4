// SPDX-License-Identifier: Apache-2.0
#include "file/fetched_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/file_descriptor.hpp"
#include "crivo/error.hpp"
#include "file/hash_tree.hpp"
#include "file/section_types.hpp"

namespace crivo::file {
namespace {

/// The bytes read first, behind the header. In it a filter of 10^8 keys at 1/256 has its directory
/// (17 kB), the checksums (12 kB), the table, and all but the first of the lists of the hash tree.
constexpr std::uint64_t kTailBytes = std::uint64_t{40} << 10;
/// Lengths that a file without a signature claims cost nothing until their bytes come: at most so
/// much of what is required is read, then checked, at once.
constexpr std::uint64_t kMostAtOnce = std::uint64_t{16} << 20;
/// The most that a table and a footer take.
constexpr std::uint64_t kMostTableBytes = kMaxSections * layout::kEntryBytes + layout::kFooterBytes;

}  // namespace

/// A piece of one of a section's lists.
struct FetchedFile::Piece {
  const SectionEntry* section = nullptr;
  std::size_t list = 0;
  std::uint64_t number = 0;

  friend auto operator<=>(const Piece&, const Piece&) = default;
};

/// The required pieces and chunks that are not here.
struct FetchedFile::Missing {
  std::vector<Piece> pieces;
  std::vector<Chunk> chunks;
};

FileEnds FetchedFile::ends_of(ByteSource& source) {
  return source.ends(layout::kHeaderBytes, kTailBytes);
}

FetchedFile::FetchedFile(std::unique_ptr<ByteSource> source, const FileEnds& ends, std::string name,
                         std::uint64_t cache_bytes, const Check& check)
    : source_(std::move(source)), name_(std::move(name)), cache_bytes_(cache_bytes) {
  try {
    take_ends(ends);
    read_table();
    open();
    check(*container_, ends.signature);
    read_directory();
  } catch (...) {
    if (fetched_ != nullptr) ::munmap(fetched_, bytes_.size());
    throw;
  }
}

FetchedFile::FetchedFile(MappedFile whole, std::string name)
    : name_(std::move(name)),
      cache_bytes_(std::numeric_limits<std::uint64_t>::max()),
      whole_(std::move(whole)),
      bytes_(whole_->bytes()) {
  open();
}

void FetchedFile::open() {
  container_ = std::make_unique<const Container>(Container::over(bytes_, name_));
  if (container_->header().kind == Kind::manifest)
    throw Error(ErrorKind::usage, name_ + ": is a manifest, whose parts are other files");
  if (container_->hash_tree() == HashTree::none)
    throw Error(ErrorKind::usage,
                name_ + ": has no hash tree, by which parts of it could be checked");
  for (const SectionEntry& section : container_->sections())
    if (section.type == kLeavesSection) leaves_at_ = section.offset;
}

FetchedFile::~FetchedFile() {
  if (fetched_ != nullptr) ::munmap(fetched_, bytes_.size());
}

void FetchedFile::take_ends(const FileEnds& ends) {
  if (ends.head.size() != std::min(layout::kHeaderBytes, ends.length) ||
      ends.tail.size() != std::min(kTailBytes, ends.length))
    throw Error(ErrorKind::io, name_ + ": the server sent other bytes than were asked for",
                {.file = name_});
  if (ends.length == 0) return;
  void* const mapped = ::mmap(nullptr, ends.length, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) base::throw_file_error(name_, "no address space for it", errno);
  fetched_ = static_cast<std::byte*>(mapped);
  bytes_ = {fetched_, ends.length};
  tail_at_ = ends.length - ends.tail.size();
  put(0, ends.head);
  put(tail_at_, ends.tail);
}

/// Reads the rest of the table where the tail has not all of it: in a file with hundreds of
/// sections.
void FetchedFile::read_table() {
  if (tail_at_ < layout::kHeaderBytes) return;
  const auto table = base::load_le<std::uint64_t>(bytes_.data() + layout::kTableOffsetAt);
  if (table < tail_at_ &&
      table >= bytes_.size() - std::min<std::uint64_t>(bytes_.size(), kMostTableBytes))
    read(std::vector{ByteRange{table, tail_at_ - table}});
}

void FetchedFile::read_directory() {
  for (const SectionEntry& section : container_->sections()) {
    if (section.type != kDirectorySection) continue;
    const SectionPart all{&section, 0, section.length};
    require({&all, 1}, true);
    copies_ = naming(name_, [&] {
      return decode_directory(container_->bytes_of(section), container_->sections());
    });
    put_copies();
    return;
  }
}

void FetchedFile::put(std::uint64_t offset, std::span<const std::byte> bytes) noexcept {
  if (!bytes.empty()) std::memcpy(fetched_ + offset, bytes.data(), bytes.size());
}

/// Puts what the directory has to where it is a copy of.
void FetchedFile::put_copies() noexcept {
  for (const CopiedEnds& ends : copies_) {
    const SectionEntry& section = container_->sections()[ends.section];
    put(section.offset, ends.head);
    put(section.offset + section.length - ends.tail.size(), ends.tail);
  }
}

bool FetchedFile::is_copied(const SectionPart& part) const noexcept {
  for (const CopiedEnds& ends : copies_) {
    if (&container_->sections()[ends.section] != part.section) continue;
    return part.begin + part.length <= ends.head.size() ||
           part.begin >= part.section->length - ends.tail.size();
  }
  return false;
}

ByteRange FetchedFile::chunk_of(const SectionEntry& section, std::uint64_t chunk) const noexcept {
  const std::uint64_t begin = chunk * layout::kChunkBytes;
  return {section.offset + begin, std::min(layout::kChunkBytes, section.length - begin)};
}

base::ByteView FetchedFile::bytes_in(const ByteRange& range) const noexcept {
  return bytes_.subspan(range.offset, range.length);
}

base::ByteView FetchedFile::lists_of(const SectionEntry& section) const noexcept {
  return bytes_in({leaves_at_ + section.lists_at, tree::bytes_of_lists(section.length)});
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

void FetchedFile::read(std::span<const ByteRange> ranges) {
  if (ranges.empty()) return;
  const std::vector<std::vector<std::byte>> all = source_->read(ranges);
  bool is_right = all.size() == ranges.size();
  for (std::size_t i = 0; is_right && i < ranges.size(); ++i)
    is_right = all[i].size() == ranges[i].length;
  if (!is_right)
    throw Error(ErrorKind::io, name_ + ": the server sent other bytes than were asked for",
                {.file = name_});
  for (std::size_t i = 0; i < ranges.size(); ++i) put(ranges[i].offset, all[i]);
  put_copies();  // which were checked: what has come may be wrong, and then is not looked at
}

void FetchedFile::check_piece(const Piece& piece) {
  const ByteRange range = bytes_of(piece);
  const std::vector<tree::List> lists = tree::lists_in(piece.section->length);
  const Digest hash = hashing::sha256(bytes_in(range));
  const base::ByteView above =
      piece.list + 1 == lists.size()
          ? base::ByteView(piece.section->hash)
          : lists_of(*piece.section)
                .subspan(lists[piece.list + 1].at + piece.number * tree::kHashBytes,
                         tree::kHashBytes);
  if (!std::ranges::equal(hash, above))
    container_->fail("damaged: the leaves of section " + std::to_string(piece.section->type) +
                     " fail the hash tree");
  pieces_.insert(range.offset);
}

void FetchedFile::check_leaf(const Chunk& chunk, const Digest& leaf) const {
  const auto& [section, number] = chunk;
  const bool is_right =
      section->length <= layout::kChunkBytes
          ? hashing::sha256(leaf) == section->hash
          : std::ranges::equal(
                leaf, lists_of(*section).subspan(number * tree::kHashBytes, tree::kHashBytes));
  if (is_right) return;
  const ByteRange range = chunk_of(*section, number);
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
  const Missing missing = this->missing(parts);
  read(ranges_of(missing));
  // The last list of a section is checked first: it vouches for the one before it.
  for (auto piece = missing.pieces.rbegin(); piece != missing.pieces.rend(); ++piece)
    check_piece(*piece);
  check_chunks(missing.chunks, kept ? kept_ : cached_);
}

/// Gives back the pages of chunks that need not be kept, but those that came with an end, which are
/// not read again.
void FetchedFile::make_room() {
  if (cached_.size() * layout::kChunkBytes < cache_bytes_) return;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  for (const SectionEntry& section : container_->sections()) {
    const std::uint64_t chunks = layout::chunks_of(section.length);
    std::erase_if(cached_, [&](std::uint64_t number) {
      if (number < section.first_chunk || number - section.first_chunk >= chunks) return false;
      const ByteRange range = chunk_of(section, number - section.first_chunk);
      const std::uint64_t begin =
          base::align_up(std::max(range.offset, layout::kHeaderBytes), page);
      const std::uint64_t end = std::min(range.offset + range.length, tail_at_) / page * page;
      if (begin < end) ::madvise(fetched_ + begin, end - begin, MADV_DONTNEED);
      return true;
    });
  }
  put_copies();
  forget_pages();
}

/// Whether the tree has leaves of the section: not of itself.
bool FetchedFile::has_leaves(const SectionEntry& section) noexcept {
  return section.type != kLeavesSection;
}

void FetchedFile::require_opening() {
  std::vector<SectionPart> parts;
  for (const SectionEntry& section : container_->sections()) {
    if (section.length == 0 || is_of_container(section.type)) continue;
    const EndsAtOpen ends = ends_at_open(section.type);
    if (section.length <= layout::kChunkBytes || is_read_at_open(section.type)) {
      parts.push_back({&section, 0, section.length});
    } else {
      if (ends.first) parts.push_back({&section, 0, 1});
      if (ends.last) parts.push_back({&section, section.length - 1, 1});
    }
  }
  require(parts, true);
}

void FetchedFile::require_all() {
  std::vector<SectionPart> parts;
  for (const SectionEntry& section : container_->sections()) {
    if (has_leaves(section)) parts.push_back({&section, 0, section.length});
  }
  require(parts, true);
}

void FetchedFile::check_all(const std::function<void(std::uint64_t)>& progress) {
  for (const SectionEntry& section : container_->sections()) {
    for (std::uint64_t at = 0; has_leaves(section) && at < section.length; at += kMostAtOnce) {
      const SectionPart part{&section, at, std::min(kMostAtOnce, section.length - at)};
      make_room();
      require({&part, 1}, false);
      progress(part.length);
    }
  }
}

}  // namespace crivo::file
