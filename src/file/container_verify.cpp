// SPDX-License-Identifier: Apache-2.0
/// The pass over all of a container that finds what was changed in it, and how errors name it.
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>

#include "base/arithmetic.hpp"
#include "base/parallel.hpp"
#include "file/container.hpp"
#include "file/copied_ends.hpp"
#include "file/manifest.hpp"
#include "file/section_types.hpp"

namespace crivo::file {
namespace {

std::string in_bytes(std::uint64_t begin, std::uint64_t end) {
  return "bytes " + std::to_string(begin) + " to " + std::to_string(end);
}

/// Whether `leaf` is that of the section's chunk `number`; `lists` are those of a section with more
/// than one.
bool is_leaf(const Digest& leaf, const SectionEntry& section, base::ByteView lists,
             std::uint64_t number) {
  if (section.length <= layout::kChunkBytes) return hashing::sha256(leaf) == section.hash;
  return std::ranges::equal(leaf, lists.subspan(number * tree::kHashBytes, tree::kHashBytes));
}

}  // namespace

void Container::fail(const std::string& problem) const {
  throw Error(ErrorKind::corrupt, name_ + ": " + problem, {.file = name_});
}

void Container::fail_at(std::uint64_t byte, const SectionEntry* section,
                        const std::string& problem) const {
  const SectionType* const type = section != nullptr ? find_section_type(section->type) : nullptr;
  throw Error(ErrorKind::corrupt, name_ + ": " + problem,
              {.file = name_,
               .line = {},
               .section = type != nullptr ? std::string(type->name) : "",
               .byte = byte});
}

void fail_naming(const std::string& name, const Error& error) {
  ErrorPlace place = error.place();
  place.file = name;
  throw Error(error.kind(), name + ": " + error.what(), std::move(place));
}

void Container::check_sums(unsigned threads,
                           const std::function<void(std::uint64_t)>& progress) const {
  if (parts_ != nullptr) return parts_->verify(threads, progress);
  check_padding();
  check_sums_of_chunks();
  check_chunks(threads, progress, Proof::sums);
}

void Container::check_what_is_touched() {
  if (parts_ != nullptr) {
    page_checks_ = parts_->page_checks();
  } else if (page_sums_) {
    page_checks_ = std::make_shared<const page_sums::TouchedPages>(bytes_, *page_sums_, paged());
    check_list_of_page_sums();
    if (paged().has_file()) touch_what_is_read_at_open();
  } else {
    check_sums(1, [](std::uint64_t) {});
  }
}

void Container::touch_what_is_read_at_open() const {
  const SectionEntry* damaged = nullptr;
  for (const SectionEntry& section : sections_) {  // all, so that what has to come can come at once
    if (is_read_at_open(section.type) && !touched(bytes_of(section)).touch()) damaged = &section;
  }
  if (damaged != nullptr)
    fail_at(damaged->offset, damaged, "damaged: a page of 4096 bytes fails its sum");
}

void Container::check_list_of_page_sums() const {
  const auto sums = std::ranges::find(sections_, kPageSumsSection, &SectionEntry::type);
  const bool is_there = !paged().has_file() || paged().load(page_sums_->last_list());
  if (!is_there || !page_sums_->has_check(sums->list_check))
    fail_at(sums->offset, &*sums, "damaged: the sums of pages fail the check in the table");
}

void Container::verify(unsigned threads, const std::function<void(std::uint64_t)>& progress) const {
  if (tree_ == HashTree::none || parts_ != nullptr) return check_sums(threads, progress);
  check_padding();
  check_sums_of_chunks();
  check_lists();
  check_chunks(threads, progress, Proof::sums_and_leaves);
  check_directory();
  check_page_sums(threads);
}

void Container::check_chunks(unsigned threads, const std::function<void(std::uint64_t)>& progress,
                             Proof proof) const {
  struct Damage {
    std::uint64_t first;  ///< chunk, in the order of the file
    std::uint64_t chunks;
  };
  std::mutex mutex;
  std::optional<Damage> damage;
  const std::uint64_t chunks = (table_offset_ - checksums_offset_) / layout::kChecksumBytes;
  const auto found = [&](std::uint64_t chunk) {
    const std::scoped_lock lock(mutex);
    damage = damage ? Damage{std::min(damage->first, chunk), damage->chunks + 1} : Damage{chunk, 1};
  };
  const auto bytes_of = [&](std::uint64_t chunk) { return chunk_bytes(section_of(chunk), chunk); };
  const auto has_leaf = [&](std::uint64_t chunk, const Digest& leaf) {
    const SectionEntry& section = section_of(chunk);
    return section.type == kLeavesSection ||
           is_leaf(leaf, section, lists_of(section), chunk - section.first_chunk);
  };
  // Two leaves at a time take as long as one.
  base::parallel_for(threads, base::div_ceil(chunks, 2), [&](std::uint64_t pair) {
    const std::uint64_t first = 2 * pair;
    std::array<bool, 2> are_leaves{true, true};
    if (proof == Proof::sums_and_leaves && first + 1 == chunks) {
      are_leaves[0] = has_its_leaf(first);
    } else if (proof == Proof::sums_and_leaves) {
      const auto leaves = hashing::Sha256::of_both(bytes_of(first), bytes_of(first + 1));
      for (std::size_t i : {0U, 1U}) are_leaves[i] = has_leaf(first + i, leaves[i]);
    }
    for (std::uint64_t chunk = first; chunk != std::min(first + 2, chunks); ++chunk) {
      if (!has_its_sum(chunk) || !are_leaves[chunk - first]) found(chunk);
      progress(bytes_of(chunk).size());
    }
  });
  if (!damage) return;
  const std::string fault =
      has_its_sum(damage->first) ? "fails the hash tree" : "fails its checksum";
  fail_chunk(damage->first, damage->chunks == 1
                                ? fault
                                : fault + " (the first of " + std::to_string(damage->chunks) +
                                      " such chunks of " + std::to_string(chunks) + ")");
}

bool Container::has_its_sum(std::uint64_t chunk) const noexcept {
  const base::ByteView bytes = chunk_bytes(section_of(chunk), chunk);
  return XXH3_64bits(bytes.data(), bytes.size()) == chunk_sum(chunk);
}

bool Container::has_its_leaf(std::uint64_t chunk) const {
  const SectionEntry& section = section_of(chunk);
  if (section.type == kLeavesSection) return true;
  return is_leaf(hashing::sha256(chunk_bytes(section, chunk)), section, lists_of(section),
                 chunk - section.first_chunk);
}

base::ByteView Container::lists_of(const SectionEntry& section) const noexcept {
  return leaves_.subspan(section.lists_at, tree::bytes_of_lists(section.length));
}

/// The lists, each against the one above it, and the hashes of sections without chunks.
void Container::check_lists() const {
  for (const SectionEntry& section : sections_) {
    if (section.type == kLeavesSection) continue;
    if (section.length == 0 && section.hash != hashing::sha256({}))
      fail_at(section.offset, &section,
              "damaged: the hash of " + describe(section) + " is not that of no bytes");
    if (section.length <= layout::kChunkBytes) continue;
    const base::ByteView lists = lists_of(section);
    if (const auto fault = tree::find_fault(lists, section.length, section.hash)) {
      const auto begin = static_cast<std::uint64_t>(lists.data() - bytes_.data()) + *fault;
      fail_at(begin, &section,
              "damaged: the leaves of " + describe(section) + ", from byte " +
                  std::to_string(begin) + " on, fail the hash tree");
    }
  }
}

/// Checks sums whose chunks are sound: those of the pages, and the list above them.
void Container::check_page_sums(unsigned threads) const {
  if (!page_sums_) return;
  const auto sums = std::ranges::find(sections_, kPageSumsSection, &SectionEntry::type);
  for (std::uint64_t piece = 0; piece != page_sums_->pieces(); ++piece) {
    if (!page_sums_->is_sound_piece(piece))
      fail_at(sums->offset + piece * page_sums::kPieceBytes, &*sums,
              "damaged: piece " + std::to_string(piece) + " of the sums of pages fails its sum");
  }
  check_list_of_page_sums();
  const auto units = [&](std::uint64_t page) {
    return std::ranges::any_of(sections_, [&](const SectionEntry& section) {
      return section.type == kUnitSection && section.offset <= page * page_sums::kPageBytes &&
             (page + 1) * page_sums::kPageBytes <= section.offset + section.length;
    });
  };
  std::mutex mutex;
  std::uint64_t first = page_sums_->pages();  // that is damaged
  constexpr std::uint64_t kAtOnce = 256;
  base::parallel_ranges(threads, first, kAtOnce, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t page = begin; page != end; ++page) {
      if (units(page) || page_sums_->is_sound(page)) continue;
      const std::scoped_lock lock(mutex);
      first = std::min(first, page);
      return;
    }
  });
  if (first == page_sums_->pages()) return;
  fail_at(first * page_sums::kPageBytes, nullptr,
          "damaged: page " + std::to_string(first) + " of 4096 bytes fails its sum");
}

void Container::check_directory() const {
  const auto directory = find(kDirectorySection);
  if (!directory) return;
  for (const CopiedEnds& ends :
       naming(name_, [&] { return decode_directory(*directory, sections_); })) {
    const SectionEntry& section = sections_[ends.section];
    const base::ByteView bytes = bytes_of(section);
    if (!std::ranges::equal(ends.head, bytes.first(ends.head.size())) ||
        !std::ranges::equal(ends.tail, bytes.last(ends.tail.size()))) {
      fail("damaged: the directory has other bytes of " + describe(section) + " than that has");
    }
  }
}

void Container::check_sums(const SectionEntry& section, std::uint64_t begin,
                           std::uint64_t length) const {
  if (length == 0) return;
  const std::uint64_t last = (begin + length - 1) / layout::kChunkBytes;
  for (std::uint64_t i = begin / layout::kChunkBytes; i <= last; ++i) {
    const std::uint64_t chunk = section.first_chunk + i;
    if (!has_its_sum(chunk)) fail_chunk(chunk, "fails its checksum");
  }
}

void Container::fail_chunk(std::uint64_t chunk, const std::string& fault) const {
  const SectionEntry& section = section_of(chunk);
  const base::ByteView bytes = chunk_bytes(section, chunk);
  const auto begin = static_cast<std::uint64_t>(bytes.data() - bytes_.data());
  fail_at(begin, &section,
          "damaged: chunk " + std::to_string(chunk - section.first_chunk) + " of " +
              describe(section) + ", " + in_bytes(begin, begin + bytes.size()) + ", " + fault);
}

void Container::check_padding() const {
  std::uint64_t end = layout::kHeaderBytes;
  const auto check_up_to = [&](std::uint64_t offset) {
    for (; end < offset; ++end) {
      if (bytes_[end] != std::byte{0}) {
        fail_at(end, nullptr,
                "damaged: byte " + std::to_string(end) + ", between sections, is not zero");
      }
    }
  };
  for (const SectionEntry& section : sections_) {
    check_up_to(section.offset);
    end = section.offset + section.length;
  }
  check_up_to(checksums_offset_);
}

void Container::check_sums_of_chunks() const {
  for (const SectionEntry& section : sections_) {
    const std::uint64_t begin = checksums_offset_ + section.first_chunk * layout::kChecksumBytes;
    const base::ByteView sums =
        bytes_.subspan(begin, layout::chunks_of(section.length) * layout::kChecksumBytes);
    if (XXH3_64bits(sums.data(), sums.size()) != section.checksum) {
      fail_at(begin, &section,
              "damaged: the checksums of " + describe(section) + ", " +
                  in_bytes(begin, begin + sums.size()) + ", fail theirs");
    }
  }
}

/// The section in which the file's chunk `chunk` is. O(log sections).
const SectionEntry& Container::section_of(std::uint64_t chunk) const noexcept {
  // Sections without chunks begin with the same one as the section after them.
  const auto after = std::ranges::upper_bound(sections_, chunk, {}, &SectionEntry::first_chunk);
  return *std::prev(after);
}

base::ByteView Container::chunk_bytes(const SectionEntry& section,
                                      std::uint64_t chunk) const noexcept {
  const std::uint64_t at = (chunk - section.first_chunk) * layout::kChunkBytes;
  return bytes_.subspan(section.offset + at, std::min(layout::kChunkBytes, section.length - at));
}

std::uint64_t Container::chunk_sum(std::uint64_t chunk) const noexcept {
  return base::load_le<std::uint64_t>(bytes_.data() + checksums_offset_ +
                                      chunk * layout::kChecksumBytes);
}

std::string Container::describe(const SectionEntry& section) const {
  const SectionType* const type = find_section_type(section.type);
  return "section " + std::to_string(&section - sections_.data()) + " (" +
         (type != nullptr ? std::string(type->name) : "type " + std::to_string(section.type)) + ")";
}

}  // namespace crivo::file
