// SPDX-License-Identifier: Apache-2.0
/// The purpose of a file.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "file/section_types.hpp"

namespace crivo::file {

enum class Kind : std::uint32_t {
  mphf = 1,
  filter = 2,
  map = 3,
  store = 4,  ///< the index of one
  // Files of a sharded build (formats/parts.md): verified and described, but no keys are looked up
  // in them.
  part = 5,      ///< what one shard adds to the file of all
  keys = 6,      ///< hashes of keys, dealt out
  totals = 7,    ///< what is known of all keys of a directory
  records = 8,   ///< those of a store whose index is another file
  manifest = 9,  ///< names the parts of an index, which it stands for
  exact = 10,
  // Changes of an exact set, and the set with them (formats/delta.md).
  delta = 11,
  chain = 12,
  dictionary = 13,
  filter_set = 14,
  rows = 15,
};

/// Types of sections that files of a kind may hold: from the first to the last.
struct KindSections {
  std::uint32_t first;
  std::uint32_t last = first;
  std::uint64_t tags = 1;  ///< how many each may have, from 0 on
};

// The numbers of a group are set aside, also for types to come.
inline constexpr KindSections kFunctionsOfRanks{16, 31};
inline constexpr KindSections kFilterTypes{32, 47};
inline constexpr KindSections kFunctionsOfValues{48, 63};

inline constexpr std::array kSectionsOfMphfs{
    KindSections{kSignatureSection}, KindSections{kLeavesSection}, KindSections{kPageSumsSection},
    kFunctionsOfRanks, KindSections{kMetadataSection}};
inline constexpr std::array kSectionsOfFilters{KindSections{kLeavesSection, kPageSumsSection},
                                               kFilterTypes, KindSections{kMetadataSection}};
inline constexpr std::array kSectionsOfMaps{KindSections{kLeavesSection, kPageSumsSection},
                                            KindSections{kRibbonSection, kFuseSection},
                                            kFunctionsOfValues, KindSections{kMetadataSection}};
inline constexpr std::array kSectionsOfStores{
    KindSections{kSignatureSection},
    KindSections{kLeavesSection},
    KindSections{kPageSumsSection},
    kFunctionsOfRanks,
    KindSections{kEnvironmentSection, kSlotSection},
    KindSections{kDictionaryHeadSection, kDictionaryBlocksSection},
    KindSections{kMetadataSection}};
inline constexpr std::array kSectionsOfDictionaries{
    KindSections{kLeavesSection}, KindSections{kPageSumsSection}, KindSections{kPhastSection},
    KindSections{kDictionaryHeadSection, kHashedIdsSection}, KindSections{kMetadataSection}};
inline constexpr std::array kSectionsOfParts{KindSections{kLeavesSection},
                                             KindSections{kPageSumsSection},
                                             KindSections{kCodecSection, kUnitSection},
                                             KindSections{kGroupCountSection, kValueCountSection},
                                             KindSections{kPartSection, kPartSignaturesSection},
                                             KindSections{kFilterGroupsSection, kFiltersSection},
                                             KindSections{kFlipSection},
                                             KindSections{kRowFilesSection, kRowStampsSection}};
inline constexpr std::array kSectionsOfKeys{
    KindSections{kKeyTableSection, kKeyPiecesSection}, KindSections{kGroupCountSection},
    KindSections{kRecordPiecesSection, kGroupNamesSection}, KindSections{kRowFilesSection},
    KindSections{kMetadataSection}};
inline constexpr std::array kSectionsOfTotals{KindSections{kTotalsSection},
                                              KindSections{kValueCountSection}};
inline constexpr std::array kSectionsOfRecords{KindSections{kLeavesSection},
                                               KindSections{kUnitSection}};
inline constexpr std::array kSectionsOfManifests{
    KindSections{kLeavesSection}, KindSections{kPageSumsSection}, KindSections{kUnitSection},
    KindSections{kPartNotesSection, kPartSignaturesSection},
    KindSections{kManifestSection, kBumpedRecordsSection}};

inline constexpr std::array kSectionsOfExacts{KindSections{kLeavesSection},
                                              KindSections{kPageSumsSection},
                                              KindSections{kRibbonSection, kRibbonSection, 65},
                                              KindSections{kRibbonFunctionSection},
                                              KindSections{kGroupSection},
                                              KindSections{kMetadataSection}};

/// The most layers that a delta of a filter adds. With its other sections they are no more than a
/// table may have.
inline constexpr std::uint64_t kMostAddedLayers = 1000;
inline constexpr std::array kSectionsOfDeltas{
    KindSections{kLeavesSection}, KindSections{kPageSumsSection},
    KindSections{kRibbonSection, kRibbonSection, kMostAddedLayers}, KindSections{kFlipSection},
    KindSections{kMetadataSection}};
inline constexpr std::array kSectionsOfChains{
    KindSections{kLeavesSection}, KindSections{kPageSumsSection}, KindSections{kLinkSection},
    KindSections{kRemovedNamesSection}, KindSections{kMetadataSection}};
inline constexpr std::array kSectionsOfRows{KindSections{kLeavesSection},
                                            KindSections{kPageSumsSection},
                                            KindSections{kRibbonSection},
                                            KindSections{kRibbonFunctionSection},
                                            KindSections{kRowFilesSection, kRowStampsSection},
                                            KindSections{kRowListsSection},
                                            KindSections{kMetadataSection}};

inline constexpr std::array kSectionsOfFilterSets{
    KindSections{kLeavesSection}, KindSections{kPageSumsSection},
    KindSections{kFilterGroupsSection, kFiltersSection}, KindSections{kMetadataSection}};

/// Facts about the files of a kind.
struct KindRow {
  Kind kind;
  std::string_view name;  ///< that users see
  std::string_view noun;  ///< of messages, with its article
  std::span<const KindSections> sections;
  bool is_step = false;          ///< of a sharded build, and no index
  bool has_parts = false;        ///< a manifest may stand for one
  bool has_values = false;       ///< the header has their type
  bool may_have_values = false;  ///< or not
  bool takes_own_hash = false;   ///< a key hash of a filter type's own
  bool takes_seeds = false;      ///< those of the dissertation
  bool touches = false;          ///< lookups touch what they read (base/page_checks.hpp)
  bool has_layers = false;       ///< a chain's files are all of the kind, and none is a delta
};

inline constexpr std::array kKinds{
    KindRow{.kind = Kind::mphf,
            .name = "mphf",
            .noun = "an MPHF",
            .sections = kSectionsOfMphfs,
            .has_parts = true,
            .takes_seeds = true},
    KindRow{.kind = Kind::filter,
            .name = "filter",
            .noun = "a filter",
            .sections = kSectionsOfFilters,
            .has_parts = true,
            .takes_own_hash = true},
    KindRow{.kind = Kind::map,
            .name = "map",
            .noun = "a map",
            .sections = kSectionsOfMaps,
            .has_parts = true,
            .has_values = true,
            .touches = true},
    KindRow{.kind = Kind::store,
            .name = "store",
            .noun = "a store",
            .sections = kSectionsOfStores,
            .has_parts = true,
            .touches = true},
    KindRow{.kind = Kind::part,
            .name = "part",
            .noun = "a part",
            .sections = kSectionsOfParts,
            .is_step = true,
            .takes_own_hash = true,
            .takes_seeds = true},
    KindRow{.kind = Kind::keys,
            .name = "keys",
            .noun = "a file of keys",
            .sections = kSectionsOfKeys,
            .is_step = true,
            .takes_own_hash = true},
    KindRow{.kind = Kind::totals,
            .name = "totals",
            .noun = "a file of totals",
            .sections = kSectionsOfTotals,
            .is_step = true,
            .takes_own_hash = true},
    KindRow{.kind = Kind::records,
            .name = "records",
            .noun = "a file of records",
            .sections = kSectionsOfRecords},
    KindRow{.kind = Kind::manifest,
            .name = "manifest",
            .noun = "a manifest",
            .sections = kSectionsOfManifests,
            .takes_own_hash = true,
            .takes_seeds = true},
    KindRow{.kind = Kind::exact,
            .name = "exact",
            .noun = "an exact set",
            .sections = kSectionsOfExacts,
            .touches = true},
    KindRow{.kind = Kind::delta, .name = "delta", .noun = "a delta", .sections = kSectionsOfDeltas},
    KindRow{.kind = Kind::chain, .name = "chain", .noun = "a chain", .sections = kSectionsOfChains},
    KindRow{.kind = Kind::dictionary,
            .name = "dictionary",
            .noun = "a dictionary",
            .sections = kSectionsOfDictionaries,
            .may_have_values = true,
            .touches = true},
    KindRow{.kind = Kind::filter_set,
            .name = "filterset",
            .noun = "a filter set",
            .sections = kSectionsOfFilterSets,
            .has_layers = true},
    KindRow{.kind = Kind::rows,
            .name = "rows",
            .noun = "an index of rows",
            .sections = kSectionsOfRows,
            .touches = true,
            .has_layers = true},
};

/// Null for a number that is not a kind.
constexpr const KindRow* find_kind(Kind kind) noexcept {
  for (const KindRow& row : kKinds) {
    if (row.kind == kind) return &row;
  }
  return nullptr;
}

/// Whether files of the kind are steps of a sharded build, and no index.
constexpr bool is_step(Kind kind) noexcept {
  const KindRow* const row = find_kind(kind);
  return row != nullptr && row->is_step;
}

/// Whether the files of a chain of the kind are its layers.
constexpr bool has_layers(Kind kind) noexcept {
  const KindRow* const row = find_kind(kind);
  return row != nullptr && row->has_layers;
}

/// How many tags sections of the type may have in files of the kind, from 0 on; 0 where there are
/// no such sections. (A part holds those of the kind that it is a part of, too, with any tag.)
constexpr std::uint64_t tags_of(Kind kind, std::uint32_t section) noexcept {
  const KindRow* const row = find_kind(kind);
  if (row == nullptr) return 0;
  for (const KindSections& some : row->sections) {
    if (some.first <= section && section <= some.last) return some.tags;
  }
  return 0;
}

/// The name that users see; empty for a number that is not a kind.
constexpr std::string_view kind_name(Kind kind) noexcept {
  const KindRow* const row = find_kind(kind);
  return row != nullptr ? row->name : std::string_view();
}

}  // namespace crivo::file
