/// The permanent numbers of section types. A number is never reused. See formats/crivo-1.md.
#pragma once

#include <cstdint>

namespace crivo::file {

inline constexpr std::uint32_t kDraftSection = 1;           ///< an MPHF of a draft; not read
inline constexpr std::uint32_t kSignatureSection = 2;       ///< fingerprints in rank order
inline constexpr std::uint32_t kRibbonSection = 3;          ///< a bumped-ribbon filter (ribbon.md)
inline constexpr std::uint32_t kEnvironmentSection = 4;     ///< what LMDB's files must look like
inline constexpr std::uint32_t kDictionarySection = 5;      ///< the store's zstd dictionary
inline constexpr std::uint32_t kConsensusSection = 6;       ///< an MPHF (consensus.md)
inline constexpr std::uint32_t kPhastSection = 7;           ///< an MPHF (phast.md)
inline constexpr std::uint32_t kRibbonFunctionSection = 8;  ///< a static function (ribbon.md)
inline constexpr std::uint32_t kFuseSection = 9;         ///< a filter or static function (fuse.md)
inline constexpr std::uint32_t kSplitBlockSection = 10;  ///< a filter (split-block-bloom.md)
inline constexpr std::uint32_t kBloomSection = 11;       ///< a filter (bloom.md)
inline constexpr std::uint32_t kCountingBloomSection = 12;   ///< a filter (bloom.md)
inline constexpr std::uint32_t kCuckooSection = 13;          ///< a filter (cuckoo.md)
inline constexpr std::uint32_t kHashCompactionSection = 14;  ///< a filter (hash-compaction.md)
inline constexpr std::uint32_t kCodedSection =
    15;  ///< a static function of skewed values (coded.md)
inline constexpr std::uint32_t kMwhcSection = 16;  ///< an MPHF (seeds.md), as the next three
inline constexpr std::uint32_t kFchSection = 17;
inline constexpr std::uint32_t kBmzSection = 18;
inline constexpr std::uint32_t kBdzSection = 19;
inline constexpr std::uint32_t kMwhcMapSection = 20;  ///< a static function (seeds.md)

/// Types from here on may be skipped by a reader that does not know them; those below may not.
inline constexpr std::uint32_t kFirstSkippable = 0x80000000U;
inline constexpr std::uint32_t kMetadataSection = 0x80000001U;  ///< sorted UTF-8 strings to strings

/// Whether a reader may go on; a type that it does not know, and may not skip, is of a later
/// version.
constexpr bool is_known(std::uint32_t section_type) noexcept {
  return section_type >= kFirstSkippable ||
         (section_type >= kSignatureSection && section_type <= kMwhcMapSection);
}

/// The minor version of the format that brought a type. A file says the least one that has all its
/// types, so that what could be written before is still written in the same bytes.
constexpr std::uint16_t minor_version_of(std::uint32_t section_type) noexcept {
  if (section_type >= kFirstSkippable) return 0;
  if (section_type >= kRibbonFunctionSection) return 2;
  return section_type >= kConsensusSection ? 1 : 0;
}

}  // namespace crivo::file
