// SPDX-License-Identifier: Apache-2.0
/// The header of a filter set's groups, and what its numbers mean for a cell: how many bytes it
/// takes, and which part of a key's hash it looks at.
#pragma once

#include <cstdint>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/ribbon/header.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::filter_set {

inline constexpr std::uint64_t kHeaderBytes = 64;
inline constexpr std::uint64_t kCellPlaceBytes = 8;
inline constexpr std::uint64_t kGroupPlaceBytes = 16;
inline constexpr std::uint64_t kCellBytes = 3;
/// A cell has fewer keys: as many as a small ribbon.
inline constexpr std::uint64_t kCellKeys = ribbon::kSmallSetKeys;
/// A group has 2^24 cells at most.
inline constexpr unsigned kMostBits = 24;
/// Zero bytes behind the last cell, so that a lookup may load all eight blocks of any row, and a
/// vector from the last.
inline constexpr std::uint64_t kEndPadding = 8 * 32 + ribbon::kEndPadding;

/// The form of all cells, by the number of a section of such filters.
enum class Type : std::uint32_t { ribbon = 32, fuse = 33, split_block = 34, bloom = 35 };

/// Whether cells may be ribbons.
constexpr bool has_ribbons(Type type) noexcept {
  return type == Type::ribbon || type == Type::fuse;
}

/// Cells of type fuse whose units are as many or more are graphs of kFuseArity slots a key: the
/// units are kGraphUnits l and the number of segments, of 2^l slots each. Others are ribbons.
inline constexpr unsigned kGraphUnitBits = 12;
inline constexpr std::uint64_t kGraphUnits = std::uint64_t{1} << kGraphUnitBits;
inline constexpr unsigned kFuseArity = 4;

struct Header {
  Type type = Type::ribbon;
  ribbon::Width width{1};  ///< of a ribbon; of type fuse without narrow rows
  unsigned hashes = 0;     ///< probes of a Bloom filter
  std::uint64_t rate = 0;  ///< designed, in units of 2^-64
  std::uint64_t groups = 0;
  std::uint64_t cells = 0;
  std::uint64_t name_bytes = 0;

  base::Bytes encode() const;
  /// Throws Error(corrupt) unless the section begins with a sound one.
  static Header decode(base::ByteView section);
};

/// What the table has of a cell.
struct Cell {
  std::uint16_t units = 0;
  std::uint8_t seed = 0;
};

/// The bytes of a cell of so many units: of a ribbon blocks of 8 slots, of a graph as above, else
/// blocks of 32 bytes, or bytes. 0 if no cell has such units.
std::uint64_t bytes_of(const Header& header, std::uint64_t units) noexcept;

/// The key's hash as a cell of 2^bits of a group takes it.
constexpr std::uint64_t split_block_hash(std::uint64_t hi, unsigned bits) noexcept {
  return ((hi << bits) & 0xffffffff00000000U) | (hi & 0xffffffffU);
}
constexpr Hash128 bloom_hash(std::uint64_t hi, unsigned bits) noexcept {
  return {hi << bits, base::mix64(hi)};
}

}  // namespace crivo::filter_set
