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
/// The most that a table and a footer take.
constexpr std::uint64_t kMostTableBytes = kMaxSections * layout::kEntryBytes + layout::kFooterBytes;

}  // namespace

FileEnds FetchedFile::ends_of(ByteSource& source) {
  return source.ends(layout::kHeaderBytes, kTailBytes);
}

FetchedFile::FetchedFile(std::unique_ptr<ByteSource> source, const FileEnds& ends, std::string name,
                         const Caches& caches, const Check& check)
    : source_(std::move(source)), name_(std::move(name)), caches_(caches) {
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
      caches_{.bytes = std::numeric_limits<std::uint64_t>::max()},
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

/// Gives back the pages of chunks that need not be kept, but those that came with an end, which are
/// not read again.
void FetchedFile::make_room() {
  if (cached_.size() * layout::kChunkBytes < caches_.bytes) return;
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
  std::uint64_t rest = bytes_.size();
  for (const SectionEntry& section : container_->sections()) {
    for (std::uint64_t at = 0; has_leaves(section) && at < section.length; at += kMostAtOnce) {
      const SectionPart part{&section, at, std::min(kMostAtOnce, section.length - at)};
      make_room();
      require({&part, 1}, false);
      progress(part.length);
      rest -= part.length;
    }
  }
  progress(rest);  // both ends and the leaves, by which all was checked
}

}  // namespace crivo::file
