// SPDX-License-Identifier: Apache-2.0
#include "lookup/lookup_parts.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "file/section_types.hpp"
#include "structures/ribbon/header.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::index {

bool LookupParts::is_ribbon(const file::SectionEntry& section) noexcept {
  return section.type == file::kRibbonSection || section.type == file::kRibbonFunctionSection;
}

std::vector<const file::SectionEntry*> structures_of(const file::Container& container) {
  std::vector<const file::SectionEntry*> sections;
  for (const file::SectionEntry& section : container.sections()) {
    if (!file::is_of_container(section.type) && section.type < file::kFirstSkippable)
      sections.push_back(&section);
  }
  return sections;
}

std::vector<LookupParts> LookupParts::require_opening(
    file::FetchedFile& file, const std::vector<const file::SectionEntry*>& sections) {
  std::vector<LookupParts> all;
  std::vector<file::SectionPart> parts;
  for (const file::SectionEntry* const section : sections) {
    all.push_back(LookupParts(*section));
    if (!is_ribbon(*section)) {
      parts.push_back({section, 0, section->length});
    } else {
      // With the last chunk, in which the table mostly is: that saves a call.
      parts.push_back({section, 0, std::min(ribbon::kHeaderBytes, section->length)});
      if (section->length != 0) parts.push_back({section, section->length - 1, 1});
    }
  }
  file.require(parts, true);
  parts.clear();
  for (LookupParts& one : all) {
    if (!is_ribbon(*one.section_)) continue;
    one.read_header(file.container());
    parts.push_back({one.section_, one.table_at_, one.section_->length - one.table_at_});
  }
  file.require(parts, true);
  return all;
}

void LookupParts::read_header(const file::Container& container) {
  const base::ByteView bytes = container.bytes_of(*section_);
  const auto part = section_->type == file::kRibbonSection ? ribbon::HashPart::first_half
                                                           : ribbon::HashPart::whole;
  const ribbon::Header header =
      file::naming(container.name(), [&] { return ribbon::decode_header(bytes, part); });
  if (header.n < ribbon::kSmallSetKeys) return;  // all of it is required
  partition_bits_ = header.partition_bits();
  const std::uint64_t table = (ribbon::kTableEntryBytes << partition_bits_) + ribbon::kEndPadding;
  if (section_->length < table + ribbon::kHeaderBytes)
    container.fail("damaged: a ribbon section is too short for its partition table");
  table_at_ = section_->length - table;
  table_ = bytes.data() + table_at_;
}

file::SectionPart LookupParts::of(detail::Hash128 hash) const noexcept {
  if (table_ == nullptr) return {section_, 0, 0};
  const std::uint64_t partition = partition_bits_ == 0 ? 0 : hash.hi >> (64 - partition_bits_);
  const auto body = [&](std::uint64_t index) {
    return base::load_le<std::uint64_t>(table_ + ribbon::kTableEntryBytes * index);
  };
  const std::uint64_t begin = body(partition);
  const std::uint64_t end =
      partition + 1 == std::uint64_t{1} << partition_bits_ ? table_at_ : body(partition + 1);
  // Bodies that are not in order hold no key that a lookup could find.
  if (begin >= end || end > table_at_) return {section_, 0, 0};
  return {section_, begin, end - begin};
}

}  // namespace crivo::index
