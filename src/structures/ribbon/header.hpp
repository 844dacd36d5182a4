// SPDX-License-Identifier: Apache-2.0
/// The fixed first bytes of a ribbon section (formats/ribbon.md), and the sizes that follow from
/// them.
///
///     section   header 64 | body of partition 0 | body 1 | ... | the bodies' offsets | padding
///     body      layer 0: slots | thresholds | sizes of layers 1 to 3 | their slots, thresholds
///     slots     blocks of K slots, column by column: `width` words of K bits
///     small     header 64 | columns: m bits for each of the value's | padding
///
///     hash ──▶ partition's body ──▶ bucket: below its threshold? ─┬─ yes: next layer
///                                                                 └─ no: row ──▶ parities: value
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "bits/arithmetic.hpp"

namespace crivo::ribbon {

inline constexpr std::uint64_t kHeaderBytes = 64;
/// The bytes of a partition's entry in the table: where its body begins.
inline constexpr std::uint64_t kTableEntryBytes = 8;
/// The bytes, after the first layer of a partition, that say how many slots its further layers
/// have.
inline constexpr std::uint64_t kFurtherLayersBytes = 12;
/// Zero bytes after the columns of the small-set form: a lookup loads 17 bytes at a time.
inline constexpr std::uint64_t kSmallPadding = 24;

/// The slots of a block, of which each has its bits side by side, column by column. A block of 64
/// is made of words and a block of 8 of bytes: a row reaches into two of the former or nine of the
/// latter, which lie closer together if the values are wide.
enum class Layout : std::uint8_t {
  blocks_of_64 = 64,  ///< section type 32, of filters
  blocks_of_8 = 8,    ///< section type 48
};

constexpr unsigned block_slots(Layout layout) noexcept {
  return static_cast<unsigned>(layout);
}

/// The bytes of a block of values of `width` bits.
constexpr std::uint64_t block_bytes(Layout layout, unsigned width) noexcept {
  return std::uint64_t{block_slots(layout) / 8} * width;
}

/// Zero bytes at the end of the partitioned form, so that a lookup may load whole vectors from the
/// block after the last.
constexpr std::uint64_t end_padding(Layout layout, unsigned width) noexcept {
  return layout == Layout::blocks_of_64 ? (width + 7U) / 8 * 64 : 64;
}

/// Values of `width` bits, but that of the rows that start in the first blocks of a layer only the
/// lowest `width` - 1 are kept.
struct Width {
  unsigned bits = 0;         ///< 1 to 64
  std::uint32_t narrow = 0;  ///< the part of rows that have a bit less, in units of 2^-32

  Width(unsigned whole_bits, std::uint32_t narrow_part = 0) noexcept  // NOLINT: most are whole
      : bits(whole_bits), narrow(narrow_part) {}

  /// The blocks of 64 at the beginning of a layer with so many starts that have a column less.
  std::uint64_t narrow_blocks(std::uint64_t starts) const noexcept {
    return bits::mulhi(starts, std::uint64_t{narrow} << 26);  // floor(starts narrow / 2^32 / 64)
  }
};

/// The part of random values of that width that are equal to a given one each.
double rate_of(Width width) noexcept;

struct Header {
  Layout layout;    ///< of the partitioned form
  Width width;      ///< of a value; all of it in the small-set form, and with blocks of 8
  unsigned seed;    ///< of the small-set form; 0 in the partitioned form
  std::uint64_t n;  ///< keys
};

/// What a partition's body begins at a multiple of: blocks of 64 then lie across no more cache
/// lines than they must.
inline std::uint64_t body_alignment(Layout layout, Width width) noexcept {
  if (layout == Layout::blocks_of_8 || width.narrow != 0) return 8;
  const unsigned power = width.bits & (~width.bits + 1);  // of two, the largest that divides it
  return power < 8 ? 8 * power : 64;
}

/// The bytes of the blocks of a layer of `slots` slots, `starts` of which rows start in.
inline std::uint64_t layer_bytes(Width width, std::uint64_t slots, std::uint64_t starts) noexcept {
  return slots / 8 * width.bits - 8 * width.narrow_blocks(starts);
}

base::Bytes encode(const Header& header);

/// Throws Error(corrupt) unless `section` begins with a sound header of a section with that layout.
Header decode_header(base::ByteView section, Layout layout);

}  // namespace crivo::ribbon
