// SPDX-License-Identifier: Apache-2.0
#include "build/compare_bytes.hpp"

#include <algorithm>

#include "file/layout.hpp"
#include "file/section_types.hpp"

namespace crivo {

BytesComparison::BytesComparison(const std::filesystem::path& path,
                                 const file::Container* container)
    : path_(path.string()), file_(path, file::Loading::for_a_pass) {
  std::uint64_t end = 0;
  const auto add = [&](std::string name, std::uint64_t to) {
    ranges_.push_back({.name = std::move(name), .begin = end, .end = to});
    end = to;
  };
  if (container != nullptr) {
    for (const file::SectionEntry& section : container->sections()) {
      add({}, section.offset);
      const file::SectionType* const type = file::find_section_type(section.type);
      add(std::string(type != nullptr ? type->name : "unknown"), section.offset + section.length);
    }
  }
  add({}, UINT64_MAX);
}

void BytesComparison::note(std::uint64_t byte) {
  const auto range =
      std::ranges::find_if(ranges_, [byte](const Range& one) { return byte < one.end; });
  if (!range->found) range->found = byte;
}

void BytesComparison::see(base::ByteView bytes) {
  constexpr std::uint64_t kForget = std::uint64_t{64} << 20;
  const base::ByteView own = file_.bytes();
  for (const Range& range : ranges_) {
    // The part of the range in these bytes and in the file.
    const std::uint64_t begin = std::max(range.begin, seen_);
    const std::uint64_t end =
        std::min({range.end, seen_ + bytes.size(), std::uint64_t{own.size()}});
    if (range.found || begin >= end) continue;
    const auto mine = own.subspan(begin, end - begin);
    const auto other = bytes.subspan(begin - seen_, end - begin);
    const auto at = std::ranges::mismatch(mine, other).in1;
    if (at != mine.end()) note(begin + static_cast<std::uint64_t>(at - mine.begin()));
  }
  seen_ += bytes.size();
  kept_ += bytes.size();
  if (kept_ < kForget) return;
  file_.forget();
  kept_ = 0;
}

std::optional<Difference> BytesComparison::finish() const {
  const auto difference = [&](const Range& range) {
    const std::uint64_t begin = range.name.empty() ? 0 : range.begin;
    return Difference{.file = path_,
                      .section = range.name,
                      .chunk = (*range.found - begin) / file::layout::kChunkBytes,
                      .byte = *range.found};
  };
  // What a section holds also decides about the header.
  for (const bool is_section : {true, false}) {
    for (const Range& range : ranges_)
      if (range.found && range.name.empty() != is_section) return difference(range);
  }
  if (const std::uint64_t own = file_.bytes().size(); own != seen_) {
    const std::uint64_t byte = std::min(own, seen_);
    return Difference{.file = path_, .chunk = byte / file::layout::kChunkBytes, .byte = byte};
  }
  return std::nullopt;
}

}  // namespace crivo
