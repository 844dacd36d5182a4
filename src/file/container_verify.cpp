// SPDX-License-Identifier: Apache-2.0
/// The pass over all of a container that finds what was changed in it.
#include <xxhash.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>

#include "base/parallel.hpp"
#include "file/container.hpp"
#include "file/manifest.hpp"
#include "file/section_types.hpp"

namespace crivo::file {
namespace {

std::string in_bytes(std::uint64_t begin, std::uint64_t end) {
  return "bytes " + std::to_string(begin) + " to " + std::to_string(end);
}

}  // namespace

void Container::verify(unsigned threads, const std::function<void(std::uint64_t)>& progress) const {
  if (parts_ != nullptr) return parts_->verify(threads, progress);
  check_padding();
  check_sums_of_chunks();
  struct Damage {
    std::uint64_t first;  ///< chunk, in the order of the file
    std::uint64_t chunks;
  };
  std::mutex mutex;
  std::optional<Damage> damage;
  const std::uint64_t chunks = (table_offset_ - checksums_offset_) / layout::kChecksumBytes;
  base::parallel_for(threads, chunks, [&](std::uint64_t chunk) {
    const base::ByteView bytes = chunk_bytes(section_of(chunk), chunk);
    if (XXH3_64bits(bytes.data(), bytes.size()) != chunk_sum(chunk)) {
      const std::scoped_lock lock(mutex);
      damage =
          damage ? Damage{std::min(damage->first, chunk), damage->chunks + 1} : Damage{chunk, 1};
    }
    progress(bytes.size());
  });
  if (!damage) return;
  fail_chunk(damage->first, damage->chunks == 1
                                ? ""
                                : " (the first of " + std::to_string(damage->chunks) +
                                      " such chunks of " + std::to_string(chunks) + ")");
}

void Container::verify(const SectionEntry& section, std::uint64_t begin,
                       std::uint64_t length) const {
  if (length == 0) return;
  const std::uint64_t last = (begin + length - 1) / layout::kChunkBytes;
  for (std::uint64_t i = begin / layout::kChunkBytes; i <= last; ++i) {
    const std::uint64_t chunk = section.first_chunk + i;
    const base::ByteView bytes = chunk_bytes(section, chunk);
    if (XXH3_64bits(bytes.data(), bytes.size()) != chunk_sum(chunk)) fail_chunk(chunk, "");
  }
}

void Container::fail_chunk(std::uint64_t chunk, const std::string& others) const {
  const SectionEntry& section = section_of(chunk);
  const base::ByteView bytes = chunk_bytes(section, chunk);
  const auto begin = static_cast<std::uint64_t>(bytes.data() - bytes_.data());
  fail_at(begin, &section,
          "damaged: chunk " + std::to_string(chunk - section.first_chunk) + " of " +
              describe(section) + ", " + in_bytes(begin, begin + bytes.size()) +
              ", fails its checksum" + others);
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
  // Of sections without chunks, the one after them begins with the same one.
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
