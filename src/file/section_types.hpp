// SPDX-License-Identifier: Apache-2.0
/// The types of sections: all that is known of each stands here, and in the table of
/// formats/crivo-1.md, which a test compares with this one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "file/kind.hpp"

namespace crivo::file {

// A number is permanent, and never used for anything else. 16 to 31 are MPHFs, 32 to 47 filters, 48
// to 63 static functions.
inline constexpr std::uint32_t kSignatureSection = 1;
inline constexpr std::uint32_t kLeavesSection = 2;
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
inline constexpr std::uint32_t kRibbonFunctionSection = 48;
inline constexpr std::uint32_t kCodedSection = 49;
inline constexpr std::uint32_t kMwhcMapSection = 50;
inline constexpr std::uint32_t kEnvironmentSection = 64;
inline constexpr std::uint32_t kCodecSection = 65;
inline constexpr std::uint32_t kSlotSection = 66;
inline constexpr std::uint32_t kUnitSection = 67;
// Of the files of a sharded build.
inline constexpr std::uint32_t kKeyTableSection = 96;
inline constexpr std::uint32_t kKeyPiecesSection = 97;
inline constexpr std::uint32_t kTotalsSection = 98;
inline constexpr std::uint32_t kValueCountSection = 100;
inline constexpr std::uint32_t kRecordPiecesSection = 101;
inline constexpr std::uint32_t kPartSection = 104;
inline constexpr std::uint32_t kPartBodiesSection = 105;
inline constexpr std::uint32_t kPartNotesSection = 106;
inline constexpr std::uint32_t kPartSignaturesSection = 107;
// Of manifests.
inline constexpr std::uint32_t kManifestSection = 112;
inline constexpr std::uint32_t kManifestPagesSection = 113;
inline constexpr std::uint32_t kStraySignaturesSection = 114;
inline constexpr std::uint32_t kStrayRecordsSection = 115;
/// Types from here on may be skipped by a reader that does not know them; those below may not.
inline constexpr std::uint32_t kFirstSkippable = 0x80000000U;
inline constexpr std::uint32_t kMetadataSection = 0x80000001U;

/// A set of kinds of files, a bit each.
using Kinds = unsigned;
constexpr Kinds only(Kind kind) noexcept {
  return 1U << static_cast<unsigned>(kind);
}
inline constexpr Kinds kRanked = only(Kind::mphf) | only(Kind::store);
inline constexpr Kinds kFilters = only(Kind::filter);
inline constexpr Kinds kMaps = only(Kind::map);
inline constexpr Kinds kStores = only(Kind::store);
inline constexpr Kinds kRecords = only(Kind::records);
inline constexpr Kinds kParts = only(Kind::part);
inline constexpr Kinds kKeys = only(Kind::keys);
inline constexpr Kinds kManifests = only(Kind::manifest);
inline constexpr Kinds kWithTrees = kRanked | kFilters | kMaps | kRecords | kParts | kManifests;

struct SectionType {
  std::uint32_t number;
  std::string_view name;  ///< as `crivo info` has it
  Kinds kinds;            ///< that may hold such a section, beside parts
  std::string_view page;  ///< of formats/, that specifies it
};

inline constexpr std::array kSectionTypes{
    SectionType{kSignatureSection, "signatures", kRanked, "crivo-1.md"},
    SectionType{kLeavesSection, "leaves", kWithTrees, "crivo-1.md"},
    SectionType{kPhastSection, "phast", kRanked, "phast.md"},
    SectionType{kConsensusSection, "consensus", kRanked, "consensus.md"},
    SectionType{kMwhcSection, "mwhc", kRanked, "seeds.md"},
    SectionType{kFchSection, "fch", kRanked, "seeds.md"},
    SectionType{kBmzSection, "bmz", kRanked, "seeds.md"},
    SectionType{kBdzSection, "bdz", kRanked, "seeds.md"},
    SectionType{kRibbonSection, "ribbon", kFilters | kMaps, "ribbon.md"},
    SectionType{kFuseSection, "fuse", kFilters | kMaps, "fuse.md"},
    SectionType{kSplitBlockSection, "split-block-bloom", kFilters, "split-block-bloom.md"},
    SectionType{kBloomSection, "bloom", kFilters, "bloom.md"},
    SectionType{kCountingBloomSection, "counting-bloom", kFilters, "bloom.md"},
    SectionType{kCuckooSection, "cuckoo", kFilters, "cuckoo.md"},
    SectionType{kHashCompactionSection, "hash-compaction", kFilters, "hash-compaction.md"},
    SectionType{kRibbonFunctionSection, "ribbon function", kMaps, "ribbon.md"},
    SectionType{kCodedSection, "coded", kMaps, "coded.md"},
    SectionType{kMwhcMapSection, "mwhc function", kMaps, "seeds.md"},
    SectionType{kEnvironmentSection, "environment", kStores, "store.md"},
    SectionType{kCodecSection, "codec", kStores | kParts, "store.md"},
    SectionType{kSlotSection, "slots", kStores | kParts, "flat.md"},
    SectionType{kUnitSection, "units", kRecords | kParts | kManifests, "flat.md"},
    SectionType{kKeyTableSection, "key table", kKeys, "parts.md"},
    SectionType{kKeyPiecesSection, "key pieces", kKeys, "parts.md"},
    SectionType{kTotalsSection, "totals", only(Kind::totals), "parts.md"},
    SectionType{kValueCountSection, "value counts", only(Kind::totals) | kParts, "parts.md"},
    SectionType{kRecordPiecesSection, "record pieces", kKeys, "parts.md"},
    SectionType{kPartSection, "part", kParts, "parts.md"},
    SectionType{kPartBodiesSection, "part bodies", kParts, "parts.md"},
    SectionType{kPartNotesSection, "part notes", kParts | kManifests, "parts.md"},
    SectionType{kPartSignaturesSection, "part signatures", kParts | kManifests, "parts.md"},
    SectionType{kManifestSection, "manifest", kManifests, "manifest.md"},
    SectionType{kManifestPagesSection, "manifest pages", kManifests, "manifest.md"},
    SectionType{kStraySignaturesSection, "stray signatures", kManifests, "manifest.md"},
    SectionType{kStrayRecordsSection, "stray records", kManifests, "manifest.md"},
    SectionType{kMetadataSection, "metadata", kRanked | kFilters | kMaps, "crivo-1.md"},
};

/// Whether a manifest with its parts has a section of the type of each part, told apart by tags.
constexpr bool is_of_each_part(std::uint32_t number) noexcept {
  return number == kPartSignaturesSection || number == kPartNotesSection ||
         number == kSlotSection || number == kUnitSection;
}

/// What a later version has numbers of sections for; empty for another number.
constexpr std::string_view section_set_aside(std::uint32_t number) noexcept {
  if (number == 3) return "directory";
  if (number == 39) return "range filter";
  if (number >= 72 && number <= 79) return "exact set";
  if (number >= 80 && number <= 95) return "dictionary";
  if (number >= 116 && number <= 119) return "filter set";
  if (number >= 120 && number <= 127) return "delta or chain";
  return {};
}

/// Null for a number that this version does not know.
constexpr const SectionType* find_section_type(std::uint32_t number) noexcept {
  const auto* const found = std::ranges::find(kSectionTypes, number, &SectionType::number);
  return found == kSectionTypes.end() ? nullptr : found;
}

}  // namespace crivo::file
