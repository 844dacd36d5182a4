// SPDX-License-Identifier: Apache-2.0
/// The fixed first bytes of a fuse section (formats/fuse.md).
///
///     section   header 64 | slots of shard 0 | of shard 1 | ... | 4 bytes a shard | 16 zeros
///     shard     segments of 2^l slots of `width` bits; its 4 bytes: seed, number of segments
///     small     header 64 | a small ribbon section
///
///     hash ──▶ shard ──▶ a slot in each of k segments in a row ──▶ their xor: value
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "structures/fuse/graph.hpp"

namespace crivo::fuse {

struct Header {
  unsigned width;   ///< bits of a value, 1 to 64
  std::uint64_t n;  ///< keys
  Shape shape;      ///< of small sets, only the arity counts
};

inline constexpr std::uint64_t kHeaderBytes = 64;
/// Zero bytes at the end: a lookup loads nine bytes at a time.
inline constexpr std::uint64_t kEndPadding = 16;

/// The bytes of each shard's entry, behind the slots of all: its segments and its seed.
inline constexpr std::uint64_t kTableEntryBytes = 4;
constexpr std::uint32_t encode_shard(std::uint64_t segments, unsigned seed) noexcept {
  return static_cast<std::uint32_t>(segments << 8 | seed);
}
/// In an entry: the shard's slots begin at the next multiple of kApartSlots of all slots, which is
/// a whole number of pages behind the header whatever their width. (In manifests, where they are
/// mapped out of files of their own.)
inline constexpr std::uint32_t kApart = 0x80;
inline constexpr std::uint64_t kApartSlots = std::uint64_t{8} << 12;
static_assert(kSegmentCountBits + 8 == 8 * kTableEntryBytes);

base::Bytes encode(const Header& header);

/// Throws Error(corrupt) unless `section` begins with a sound header.
Header decode_header(const base::CheckedBytes& section);

}  // namespace crivo::fuse
