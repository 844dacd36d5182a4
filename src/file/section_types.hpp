/// The permanent numbers of section types. A number is never reused. See formats/crivo-1.md.
#pragma once

#include <cstdint>

namespace crivo::file {

inline constexpr std::uint32_t kOldPhastSection = 1;  ///< an MPHF of version 1.0 (formats/phast.md)
inline constexpr std::uint32_t kSignatureSection = 2;  ///< fingerprints in rank order
inline constexpr std::uint32_t kRibbonSection = 3;  ///< a bumped-ribbon filter (formats/ribbon.md)
inline constexpr std::uint32_t kEnvironmentSection =
    4;  ///< what the LMDB environment must look like
inline constexpr std::uint32_t kDictionarySection = 5;  ///< the store's zstd dictionary
inline constexpr std::uint32_t kConsensusSection = 6;   ///< an MPHF (formats/consensus.md)
inline constexpr std::uint32_t kPhastSection = 7;       ///< an MPHF (formats/phast.md)
inline constexpr std::uint32_t kFuseSection = 9;        ///< a binary fuse filter (formats/fuse.md)
inline constexpr std::uint32_t kCodedSection = 15;  ///< a map's compressed values (formats/coded.md)
inline constexpr std::uint32_t kMapSignatureSection = 16;  ///< a map's signatures (formats/map.md)

/// The minor version of the format that brought a type. A file says the least one that has all its
/// types, so that what could be written before is still written in the same bytes.
constexpr std::uint16_t minor_version_of(std::uint32_t section_type) noexcept {
  switch (section_type) {
    case kConsensusSection:
    case kPhastSection:
      return 1;
    case kFuseSection:
    case kCodedSection:
    case kMapSignatureSection:
      return 2;
    default:
      return 0;
  }
}

/// A type above this one, and not skippable, is of a later version.
inline constexpr std::uint32_t kLastKnownSection = kMapSignatureSection;

/// Types from here on may be skipped by a reader that does not know them; those below may not.
inline constexpr std::uint32_t kFirstSkippable = 0x80000000U;
inline constexpr std::uint32_t kMetadataSection = 0x80000001U;  ///< sorted UTF-8 strings to strings

}  // namespace crivo::file
