// SPDX-License-Identifier: Apache-2.0
/// The fixed fields of a coded section (formats/coded.md).
///
///     section    header 32 | lengths and values of codewords, of each level | partition 0 |
///                partition 1 | ... | an entry a partition | 24 bytes a level
///     partition  by the top bits of the hash: a ribbon section of whole values, if the last level
///                is plain | of each level: filter of the keys without the dominant value | one-bit
///                ribbon: a key's bits begin with its codeword; the escape leads to the next level
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "structures/csf/prefix_code.hpp"

namespace crivo::csf {

inline constexpr std::uint64_t kHeaderBytes = 32;
inline constexpr std::uint64_t kEntryBytes = 24;
/// The bytes of a ribbon's slice in a partition's entry: the slot counts of its layers, in words of
/// 64.
inline constexpr std::uint64_t kSliceEntryBytes = 16;

/// Levels of a section at most.
inline constexpr unsigned kMaxLevels = 32;

struct Header {
  std::uint64_t n;        ///< keys
  std::uint64_t entropy;  ///< of the values, in 2^-32 bits a key
  unsigned width;         ///< bits of the largest value, 0 to 64
  unsigned levels;
  unsigned partition_bits;
};

/// A level's entry in the table at the section's end.
struct LevelEntry {
  bool plain = false;
  Shape filter;  ///< its codewords are fingerprints of filter.code_bits bits
  Shape codes;
  std::uint32_t codewords = 0;
  std::optional<std::uint32_t> escape;  ///< the number of a codeword
  std::uint64_t dominant = 0;

  /// Returns the slices of a partition's ribbons.
  std::uint64_t slices() const noexcept {
    const auto of = [](const Shape& shape) {
      return shape.code_bits == 0 ? 0 : std::uint64_t{1} << shape.slice_bits;
    };
    return of(filter) + of(codes);
  }
};

/// The layout of a partition.
struct PartitionLayout {
  bool plain = false;        ///< it begins with a plain section
  std::uint64_t slices = 0;  ///< of the ribbons that follow

  /// Returns the number of which its place is a multiple: by a ribbon section's own rule, or a
  /// word.
  std::uint64_t alignment() const noexcept { return plain ? 64 : 8; }
  /// Returns the bytes of its entry in the table: where it begins; the bytes of the plain section,
  /// if there is one, and of what follows it; then each slice's layers. 0: nothing is in a
  /// partition.
  std::uint64_t entry_bytes() const noexcept {
    return !plain && slices == 0 ? 0 : (plain ? 24 : 8) + kSliceEntryBytes * slices;
  }
};

/// A fingerprint of `bits` bits, 1 to 30, for the filter of level `level`.
constexpr std::uint32_t fingerprint(Hash128 hash, unsigned level, unsigned bits) noexcept {
  return static_cast<std::uint32_t>(base::mix64(hash.lo ^ (level + 1) * 0x9e6c63d0876a9a47U) >>
                                    (64 - bits));
}

/// The bytes of a symbol.
constexpr unsigned symbol_bytes(unsigned width) noexcept {
  return (width + 7) / 8;
}

base::Bytes encode(const Header& header);
base::Bytes encode(const LevelEntry& entry);

/// Throws Error(corrupt) unless `section` begins with a sound header.
Header decode_header(const base::CheckedBytes& section);
/// The entries of all levels, from the section's end. Throws Error(corrupt) unless they are sound.
std::vector<LevelEntry> decode_entries(const Header& header, const base::CheckedBytes& section);

}  // namespace crivo::csf
