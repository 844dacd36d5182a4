// SPDX-License-Identifier: Apache-2.0
#include "file/fetched_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/file_descriptor.hpp"
#include "crivo/error.hpp"
#include "file/hash_tree.hpp"
#include "file/section_types.hpp"

namespace crivo::file {
namespace {

/// The header and a first chunk right after it, which begins the first section.
constexpr std::uint64_t kHeadBytes = layout::kHeaderBytes + layout::kChunkBytes;
/// The table of as many sections as there may be; of 10^8 keys also the leaves, the checksums and
/// the chunks that the partition table of the last structure is in.
constexpr std::uint64_t kTailBytes = 3 * layout::kChunkBytes;
static_assert(kTailBytes >= kMaxSections * layout::kEntryBytes + layout::kFooterBytes);

}  // namespace

/// What is not here of what was required.
struct FetchedFile::Missing {
  std::vector<const SectionEntry*> lists;
  std::vector<std::pair<const SectionEntry*, std::uint64_t>> chunks;
  std::vector<ByteRange> ranges;
};

FetchedFile::FetchedFile(std::unique_ptr<ByteSource> source, std::string name,
                         std::uint64_t cache_bytes)
    : source_(std::move(source)), name_(std::move(name)), cache_bytes_(cache_bytes) {
  FileEnds ends = source_->ends(kHeadBytes, kTailBytes);
  signature_ = std::move(ends.signature);
  head_ = std::min(kHeadBytes, ends.length);
  tail_ = std::min(kTailBytes, ends.length);
  if (ends.head.size() != head_ || ends.tail.size() != tail_)
    throw Error(ErrorKind::io, name_ + ": other bytes came than were asked for", {.file = name_});
  void* const mapped = ends.length == 0
                           ? MAP_FAILED
                           : ::mmap(nullptr, ends.length, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED && ends.length != 0)
    base::throw_file_error(name_, "no address space for it", errno);
  if (ends.length != 0) bytes_ = static_cast<std::byte*>(mapped);
  length_ = ends.length;
  try {
    put(0, ends.head);
    put(length_ - tail_, ends.tail);
    container_ = std::make_unique<const Container>(Container::over({bytes_, length_}, name_));
    if (container_->header().kind == Kind::manifest)
      throw Error(ErrorKind::usage, name_ + ": is a manifest, whose parts are other files");
    if (container_->hash_tree() == HashTree::none)
      throw Error(ErrorKind::usage,
                  name_ + ": has no hash tree, by which parts of it could be checked");
    for (const SectionEntry& section : container_->sections())
      if (section.type == kLeavesSection) leaves_at_ = section.offset;
  } catch (...) {
    if (bytes_ != nullptr) ::munmap(bytes_, length_);
    throw;
  }
}

FetchedFile::~FetchedFile() {
  if (bytes_ != nullptr) ::munmap(bytes_, length_);
}

void FetchedFile::put(std::uint64_t offset, std::span<const std::byte> bytes) noexcept {
  if (!bytes.empty()) std::memcpy(bytes_ + offset, bytes.data(), bytes.size());
}

bool FetchedFile::is_at_an_end(const ByteRange& range) const noexcept {
  return range.offset + range.length <= head_ || range.offset >= length_ - tail_;
}

ByteRange FetchedFile::lists_of(const SectionEntry& section) const noexcept {
  return {leaves_at_ + section.lists_at, tree::bytes_of_lists(section.length)};
}

ByteRange FetchedFile::chunk_of(const SectionEntry& section, std::uint64_t chunk) const noexcept {
  const std::uint64_t begin = chunk * layout::kChunkBytes;
  return {section.offset + begin, std::min(layout::kChunkBytes, section.length - begin)};
}

FetchedFile::Missing FetchedFile::missing(std::span<const SectionPart> parts) const {
  Missing missing;
  for (const SectionPart& part : parts) {
    if (part.length == 0) continue;
    const std::uint64_t last = (part.begin + part.length - 1) / layout::kChunkBytes;
    for (std::uint64_t chunk = part.begin / layout::kChunkBytes; chunk <= last; ++chunk) {
      const std::uint64_t number = part.section->first_chunk + chunk;
      if (!kept_.contains(number) && !cached_.contains(number))
        missing.chunks.emplace_back(part.section, chunk);
    }
    if (part.section->length > layout::kChunkBytes && !listed_.contains(part.section))
      missing.lists.push_back(part.section);
  }
  const auto unique = [](auto& all) {
    std::ranges::sort(all);
    const auto rest = std::ranges::unique(all);
    all.erase(rest.begin(), rest.end());
  };
  unique(missing.lists);
  unique(missing.chunks);
  const auto ask = [&](const ByteRange& range) {
    if (is_at_an_end(range)) return;
    std::vector<ByteRange>& ranges = missing.ranges;
    if (!ranges.empty() && ranges.back().offset + ranges.back().length == range.offset) {
      ranges.back().length += range.length;
    } else {
      ranges.push_back(range);
    }
  };
  for (const SectionEntry* const section : missing.lists) ask(lists_of(*section));
  for (const auto& [section, chunk] : missing.chunks) ask(chunk_of(*section, chunk));
  return missing;
}

void FetchedFile::read(std::span<const ByteRange> ranges) {
  if (ranges.empty()) return;
  const std::vector<std::vector<std::byte>> all = source_->read(ranges);
  bool is_right = all.size() == ranges.size();
  for (std::size_t i = 0; is_right && i < ranges.size(); ++i)
    is_right = all[i].size() == ranges[i].length;
  if (!is_right)
    throw Error(ErrorKind::io, name_ + ": other bytes came than were asked for", {.file = name_});
  for (std::size_t i = 0; i < ranges.size(); ++i) put(ranges[i].offset, all[i]);
}

void FetchedFile::check_lists(const SectionEntry& section) {
  const ByteRange lists = lists_of(section);
  if (tree::find_fault({bytes_ + lists.offset, lists.length}, section.length, section.hash))
    container_->fail("damaged: the leaves of section " + std::to_string(section.type) +
                     " fail the hash tree");
}

void FetchedFile::check_chunk(const SectionEntry& section, std::uint64_t chunk) const {
  const ByteRange range = chunk_of(section, chunk);
  const Digest leaf = hashing::sha256({bytes_ + range.offset, range.length});
  const bool is_right =
      section.length <= layout::kChunkBytes
          ? hashing::sha256(leaf) == section.hash
          : std::memcmp(leaf.data(), bytes_ + lists_of(section).offset + chunk * tree::kHashBytes,
                        leaf.size()) == 0;
  if (is_right) return;
  throw Error(ErrorKind::corrupt,
              name_ + ": damaged: bytes " + std::to_string(range.offset) + " to " +
                  std::to_string(range.offset + range.length) + " fail the hash tree",
              {.file = name_, .line = {}, .section = {}, .byte = range.offset});
}

void FetchedFile::require(std::span<const SectionPart> parts, bool kept) {
  if (cached_.size() * layout::kChunkBytes >= cache_bytes_) make_room();
  const Missing missing = this->missing(parts);
  read(missing.ranges);
  for (const SectionEntry* const section : missing.lists) {
    check_lists(*section);
    listed_.insert(section);
  }
  auto& here = kept ? kept_ : cached_;
  for (const auto& [section, chunk] : missing.chunks) {
    check_chunk(*section, chunk);
    here.insert(section->first_chunk + chunk);
  }
}

/// Gives back the pages of chunks that need not be kept, but those that came with an end, which are
/// not read again.
void FetchedFile::make_room() {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  for (const SectionEntry& section : container_->sections()) {
    const std::uint64_t chunks = layout::chunks_of(section.length);
    std::erase_if(cached_, [&](std::uint64_t number) {
      if (number < section.first_chunk || number - section.first_chunk >= chunks) return false;
      const ByteRange range = chunk_of(section, number - section.first_chunk);
      const std::uint64_t begin = base::align_up(std::max(range.offset, head_), page);
      const std::uint64_t end =
          std::min(range.offset + range.length, length_ - tail_) / page * page;
      if (begin < end) ::madvise(bytes_ + begin, end - begin, MADV_DONTNEED);
      return true;
    });
  }
}

}  // namespace crivo::file
