// SPDX-License-Identifier: Apache-2.0
/// The fixed first bytes of a ribbon section (formats/ribbon.md), and the sizes that follow from
/// them.
///
///     section   header 64 | body of partition 0 | body 1 | ... | the bodies' offsets | padding
///     body      layer 0: slots | thresholds | sizes of layers 1 to 3 | their slots, thresholds
///     slots     blocks of 8 slots, column by column: a byte for each bit of the values
///     small     header 64 | slots | padding
///
///     hash ──▶ partition's body ──▶ bucket: below its threshold? ─┬─ yes: next layer
///                                                                 └─ no: row ──▶ parities: value
#pragma once

#include <cstdint>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "base/page_checks.hpp"
#include "structures/retrieval/fingerprint_filter.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::ribbon {

using retrieval::HashPart;

inline constexpr std::uint64_t kHeaderBytes = 64;
/// The bytes of a partition's entry in the table: where its body begins.
inline constexpr std::uint64_t kTableEntryBytes = 8;
/// A partition's body begins at a multiple of this.
inline constexpr std::uint64_t kBodyAlignment = 8;
/// The bytes, after the first layer of a partition, that say how many blocks its further layers
/// have.
inline constexpr std::uint64_t kFurtherLayersBytes = 12;
/// Zero bytes at the end of a section, so that a lookup may load whole vectors from a row's last
/// block.
inline constexpr std::uint64_t kEndPadding = 32;

/// Values of `width` bits, but that of the rows that start in the first blocks of a layer only the
/// lowest `width` - 1 are kept.
struct Width {
  unsigned bits = 0;         ///< 1 to 64
  std::uint32_t narrow = 0;  ///< the part of rows that have a bit less, in units of 2^-32

  Width(unsigned whole_bits, std::uint32_t narrow_part = 0) noexcept  // NOLINT: most are whole
      : bits(whole_bits), narrow(narrow_part) {}

  /// The blocks at the beginning of a layer with so many starts that have a column less.
  std::uint64_t narrow_blocks(std::uint64_t starts) const noexcept {
    return base::mulhi(starts, std::uint64_t{narrow} << 32);
  }
};

/// The part of hashes that a filter of n keys with values of that width is true for.
double rate_of(std::uint64_t n, Width width) noexcept;

struct Header {
  HashPart part;    ///< of a filter, the first half
  Width width;      ///< of a value
  unsigned seed;    ///< of the small-set form; 0 in the partitioned form
  std::uint64_t n;  ///< keys

  /// Whether rows are long: of sections of type 48 with values of one bit, unless it is small.
  bool is_long() const noexcept {
    return part == HashPart::whole && width.bits == 1 && n >= kSmallSetKeys;
  }
  /// How it is laid out, unless it is small.
  const Shape& shape() const noexcept { return is_long() ? kLongRows : kUsualRows; }
  unsigned partition_bits() const noexcept {
    return n < kSmallSetKeys ? 0 : shape().partition_bits(n);
  }
};

/// The bytes of the blocks of a layer of `slots` slots, in `starts` of which rows start.
inline std::uint64_t layer_bytes(Width width, std::uint64_t slots, std::uint64_t starts) noexcept {
  return slots / 8 * width.bits - width.narrow_blocks(starts);
}

base::Bytes encode(const Header& header);

/// Throws Error(corrupt) unless `section` begins with a sound header of a section whose keys are
/// known by that part of their hashes.
Header decode_header(const base::CheckedBytes& section, HashPart part);

}  // namespace crivo::ribbon
