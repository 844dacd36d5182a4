// SPDX-License-Identifier: Apache-2.0
/// The types of sections: all that is known of each stands here, and in the table of
/// formats/crivo-1.md, which a test compares with this one. Which kinds have them stands in the
/// rows of kind.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace crivo::file {

// A number is permanent, and never used for anything else. 16 to 31 are MPHFs, 32 to 47 filters, 48
// to 63 static functions.
inline constexpr std::uint32_t kSignatureSection = 1;
inline constexpr std::uint32_t kLeavesSection = 2;
inline constexpr std::uint32_t kDirectorySection = 3;
inline constexpr std::uint32_t kPageSumsSection = 4;
inline constexpr std::uint32_t kPhastSection = 16;
inline constexpr std::uint32_t kConsensusSection = 17;
inline constexpr std::uint32_t kMwhcSection = 18;
inline constexpr std::uint32_t kFchSection = 19;
inline constexpr std::uint32_t kBmzSection = 20;
inline constexpr std::uint32_t kBdzSection = 21;
inline constexpr std::uint32_t kRibbonSection = 32;
inline constexpr std::uint32_t kFuseSection = 33;
inline constexpr std::uint32_t kSplitBlockSection = 34;
inline constexpr std::uint32_t kBloomSection = 35;
inline constexpr std::uint32_t kCountingBloomSection = 36;
inline constexpr std::uint32_t kCuckooSection = 37;
inline constexpr std::uint32_t kHashCompactionSection = 38;
inline constexpr std::uint32_t kRangeSection = 39;
inline constexpr std::uint32_t kRibbonFunctionSection = 48;
inline constexpr std::uint32_t kCodedSection = 49;
inline constexpr std::uint32_t kMwhcMapSection = 50;
inline constexpr std::uint32_t kEnvironmentSection = 64;
inline constexpr std::uint32_t kCodecSection = 65;
inline constexpr std::uint32_t kSlotSection = 66;
inline constexpr std::uint32_t kUnitSection = 67;
inline constexpr std::uint32_t kGroupSection = 72;
inline constexpr std::uint32_t kDictionaryHeadSection = 80;
inline constexpr std::uint32_t kDictionaryTokensSection = 81;
inline constexpr std::uint32_t kDictionaryOffsetsSection = 82;
inline constexpr std::uint32_t kDictionaryDirectorySection = 83;
inline constexpr std::uint32_t kDictionaryBlocksSection = 84;
inline constexpr std::uint32_t kDictionaryValuesSection = 85;
inline constexpr std::uint32_t kHashedIdsSection = 86;
// Files of a sharded build.
inline constexpr std::uint32_t kKeyTableSection = 96;
inline constexpr std::uint32_t kKeyPiecesSection = 97;
inline constexpr std::uint32_t kTotalsSection = 98;
inline constexpr std::uint32_t kGroupCountSection = 99;
inline constexpr std::uint32_t kValueCountSection = 100;
inline constexpr std::uint32_t kRecordPiecesSection = 101;
inline constexpr std::uint32_t kGroupNamesSection = 102;
inline constexpr std::uint32_t kPartSection = 104;
inline constexpr std::uint32_t kPartBodiesSection = 105;
inline constexpr std::uint32_t kPartNotesSection = 106;
inline constexpr std::uint32_t kPartSignaturesSection = 107;
// Manifests.
inline constexpr std::uint32_t kManifestSection = 112;
inline constexpr std::uint32_t kManifestPagesSection = 113;
inline constexpr std::uint32_t kBumpedSignaturesSection = 114;
inline constexpr std::uint32_t kBumpedRecordsSection = 115;
// Deltas and chains.
inline constexpr std::uint32_t kFlipSection = 120;
inline constexpr std::uint32_t kLinkSection = 121;
inline constexpr std::uint32_t kRemovedNamesSection = 130;
// Filter sets, and rows.
inline constexpr std::uint32_t kFilterGroupsSection = 116;
inline constexpr std::uint32_t kFiltersSection = 117;
inline constexpr std::uint32_t kRowFilesSection = 128;
inline constexpr std::uint32_t kRowStampsSection = 129;
inline constexpr std::uint32_t kRowListsSection = 131;
/// Types from here on may be skipped by a reader that does not know them; those below may not.
inline constexpr std::uint32_t kFirstSkippable = 0x80000000U;
inline constexpr std::uint32_t kMetadataSection = 0x80000001U;

struct SectionType {
  std::uint32_t number;
  std::string_view name;  ///< as `crivo info` has it
  std::string_view page;  ///< of formats/, that specifies it
};

inline constexpr std::array kSectionTypes{
    SectionType{kSignatureSection, "signatures", "crivo-1.md"},
    SectionType{kLeavesSection, "leaves", "crivo-1.md"},
    SectionType{kDirectorySection, "directory", "crivo-1.md"},
    SectionType{kPageSumsSection, "page sums", "crivo-1.md"},
    SectionType{kPhastSection, "phast", "phast.md"},
    SectionType{kConsensusSection, "consensus", "consensus.md"},
    SectionType{kMwhcSection, "mwhc", "seeds.md"},
    SectionType{kFchSection, "fch", "seeds.md"},
    SectionType{kBmzSection, "bmz", "seeds.md"},
    SectionType{kBdzSection, "bdz", "seeds.md"},
    SectionType{kRibbonSection, "ribbon", "ribbon.md"},
    SectionType{kFuseSection, "fuse", "fuse.md"},
    SectionType{kSplitBlockSection, "split-block-bloom", "split-block-bloom.md"},
    SectionType{kBloomSection, "bloom", "bloom.md"},
    SectionType{kCountingBloomSection, "counting-bloom", "bloom.md"},
    SectionType{kCuckooSection, "cuckoo", "cuckoo.md"},
    SectionType{kHashCompactionSection, "hash-compaction", "hash-compaction.md"},
    SectionType{kRangeSection, "range", "range.md"},
    SectionType{kRibbonFunctionSection, "ribbon function", "ribbon.md"},
    SectionType{kCodedSection, "coded", "coded.md"},
    SectionType{kMwhcMapSection, "mwhc function", "seeds.md"},
    SectionType{kEnvironmentSection, "environment", "store.md"},
    SectionType{kCodecSection, "codec", "store.md"},
    SectionType{kSlotSection, "slots", "flat.md"},
    SectionType{kUnitSection, "units", "flat.md"},
    SectionType{kGroupSection, "groups", "exact.md"},
    SectionType{kDictionaryHeadSection, "dictionary head", "dictionary.md"},
    SectionType{kDictionaryTokensSection, "dictionary tokens", "dictionary.md"},
    SectionType{kDictionaryOffsetsSection, "dictionary offsets", "dictionary.md"},
    SectionType{kDictionaryDirectorySection, "dictionary directory", "dictionary.md"},
    SectionType{kDictionaryBlocksSection, "dictionary blocks", "dictionary.md"},
    SectionType{kDictionaryValuesSection, "dictionary values", "dictionary.md"},
    SectionType{kHashedIdsSection, "hashed ids", "dictionary.md"},
    SectionType{kKeyTableSection, "key table", "parts.md"},
    SectionType{kKeyPiecesSection, "key pieces", "parts.md"},
    SectionType{kTotalsSection, "totals", "parts.md"},
    SectionType{kGroupCountSection, "group counts", "parts.md"},
    SectionType{kValueCountSection, "value counts", "parts.md"},
    SectionType{kRecordPiecesSection, "record pieces", "parts.md"},
    SectionType{kGroupNamesSection, "group names", "parts.md"},
    SectionType{kPartSection, "part", "parts.md"},
    SectionType{kPartBodiesSection, "part bodies", "parts.md"},
    SectionType{kPartNotesSection, "part notes", "parts.md"},
    SectionType{kPartSignaturesSection, "part signatures", "parts.md"},
    SectionType{kManifestSection, "manifest", "manifest.md"},
    SectionType{kManifestPagesSection, "manifest pages", "manifest.md"},
    SectionType{kBumpedSignaturesSection, "bumped signatures", "manifest.md"},
    SectionType{kBumpedRecordsSection, "bumped records", "manifest.md"},
    SectionType{kFilterGroupsSection, "filter groups", "filterset.md"},
    SectionType{kFiltersSection, "filters", "filterset.md"},
    SectionType{kFlipSection, "flips", "delta.md"},
    SectionType{kLinkSection, "links", "delta.md"},
    SectionType{kRowFilesSection, "row files", "rows.md"},
    SectionType{kRowStampsSection, "row stamps", "rows.md"},
    SectionType{kRemovedNamesSection, "removed names", "delta.md"},
    SectionType{kRowListsSection, "row lists", "rows.md"},
    SectionType{kMetadataSection, "metadata", "crivo-1.md"},
};

/// Whether a manifest with its parts has a section of the type of each part, told apart by tags.
constexpr bool is_of_each_part(std::uint32_t number) noexcept {
  return number == kPartSignaturesSection || number == kPartNotesSection ||
         number == kSlotSection || number == kUnitSection;
}

/// Returns the use for which a later version has numbers of sections; empty for another number.
constexpr std::string_view section_set_aside(std::uint32_t number) noexcept {
  if (number >= 73 && number <= 79) return "exact set";
  if (number >= 87 && number <= 95) return "dictionary";
  if (number >= 118 && number <= 119) return "filter set";
  if (number >= 122 && number <= 127) return "delta or chain";
  return {};
}

/// Whether the section is about the others, and a copy of them without it is whole.
constexpr bool is_of_container(std::uint32_t number) noexcept {
  return number == kLeavesSection || number == kDirectorySection || number == kPageSumsSection;
}

/// Whether the section, of an index whose lookups touch what they read, is decoded when it is
/// opened, and then read no more.
constexpr bool is_read_at_open(std::uint32_t number) noexcept {
  return number == kEnvironmentSection || number == kCodecSection || number == kMetadataSection;
}

/// The ends of such a section at which structures over it look when they are opened: a header, and
/// a table or what is kept behind the last entry.
struct EndsAtOpen {
  bool first = false;
  bool last = false;
};
constexpr EndsAtOpen ends_at_open(std::uint32_t number) noexcept {
  if (number == kSlotSection) return {.first = false, .last = true};
  const bool both = number == kPhastSection || number == kRibbonSection ||
                    number == kRibbonFunctionSection || number == kHashedIdsSection ||
                    number == kRowListsSection;
  return {both, both};
}

/// Null for a number that this version does not know.
constexpr const SectionType* find_section_type(std::uint32_t number) noexcept {
  const auto* const found = std::ranges::find(kSectionTypes, number, &SectionType::number);
  return found == kSectionTypes.end() ? nullptr : found;
}

}  // namespace crivo::file
