/// The permanent numbers of section types. A number is never reused. See formats/crivo-1.md.
#pragma once

#include <cstdint>

namespace crivo::file {

inline constexpr std::uint32_t kOldPhastSection = 1;  ///< an MPHF of version 1.0 (formats/phast.md)
inline constexpr std::uint32_t kSignatureSection = 2;  ///< fingerprints in rank order
inline constexpr std::uint32_t kRibbonSection = 3;  ///< a bumped-ribbon filter (formats/ribbon.md)
inline constexpr std::uint32_t kEnvironmentSection =
    4;  ///< what the LMDB environment must look like
inline constexpr std::uint32_t kDictionarySection = 5;       ///< the store's zstd dictionary
inline constexpr std::uint32_t kConsensusSection = 6;        ///< an MPHF (formats/consensus.md)
inline constexpr std::uint32_t kPhastSection = 7;            ///< an MPHF (formats/phast.md)
inline constexpr std::uint32_t kSplitBlockSection = 10;      ///< formats/split-block-bloom.md
inline constexpr std::uint32_t kBloomSection = 11;           ///< a filter (formats/bloom.md)
inline constexpr std::uint32_t kCountingBloomSection = 12;   ///< a filter (formats/bloom.md)
inline constexpr std::uint32_t kCuckooSection = 13;          ///< a filter (formats/cuckoo.md)
inline constexpr std::uint32_t kHashCompactionSection = 14;  ///< formats/hash-compaction.md
inline constexpr std::uint32_t kMwhcSection = 16;  ///< an MPHF (formats/seeds.md), as those below
inline constexpr std::uint32_t kFchSection = 17;
inline constexpr std::uint32_t kBmzSection = 18;
inline constexpr std::uint32_t kBdzSection = 19;

/// Types from here on may be skipped by a reader that does not know them; those below may not.
inline constexpr std::uint32_t kFirstSkippable = 0x80000000U;
inline constexpr std::uint32_t kMetadataSection = 0x80000001U;  ///< sorted UTF-8 strings to strings

/// The minor version of the format that brought a type. A file says the least one that has all its
/// types, so that what could be written before is still written in the same bytes.
constexpr std::uint16_t minor_version_of(std::uint32_t section_type) noexcept {
  if (section_type > kPhastSection && section_type < kFirstSkippable) return 2;
  return section_type == kConsensusSection || section_type == kPhastSection ? 1 : 0;
}

/// A type above this one, and not skippable, is of a later version.
inline constexpr std::uint32_t kLastKnownSection = kBdzSection;

}  // namespace crivo::file
