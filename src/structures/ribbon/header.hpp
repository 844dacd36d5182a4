/// The fixed first bytes of a ribbon section (formats/ribbon.md).
#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace crivo::ribbon {

inline constexpr std::uint64_t kHeaderBytes = 64;
/// The bytes of a partition's entry in the table: the slot counts of its layers, in words of 64.
inline constexpr std::uint64_t kTableEntryBytes = 16;
/// Zero bytes after the columns of the small-set form: a lookup loads 17 bytes at a time.
inline constexpr std::uint64_t kSmallPadding = 24;

/// The slots of a block, of which each has its bits side by side, column by column. A block of 64
/// is made of words and a block of 8 of bytes: a row reaches into two of the former or nine of the
/// latter, which lie closer together if the values are wide.
enum class Layout : std::uint8_t {
  blocks_of_64 = 64,  ///< section type 3
  blocks_of_8 = 8,    ///< section type 8
};

constexpr unsigned block_slots(Layout layout) noexcept {
  return static_cast<unsigned>(layout);
}

/// The bytes of a block of values of `width` bits.
constexpr std::uint64_t block_bytes(Layout layout, unsigned width) noexcept {
  return std::uint64_t{block_slots(layout) / 8} * width;
}

/// What a partition's body begins at a multiple of: blocks of 64 then lie across no more cache
/// lines than they must.
constexpr std::uint64_t body_alignment(Layout layout, unsigned width) noexcept {
  if (layout == Layout::blocks_of_8) return 8;
  const unsigned power = width & (~width + 1);  // of two, the largest that divides it
  return power < 8 ? 8 * power : 64;
}

/// Zero bytes at the end of the partitioned form, so that a lookup may load whole vectors from the
/// block after the last.
constexpr std::uint64_t end_padding(Layout layout, unsigned width) noexcept {
  return layout == Layout::blocks_of_64 ? (width + 7U) / 8 * 64 : 64;
}

struct Header {
  Layout layout;    ///< of the partitioned form
  unsigned width;   ///< bits of a value, 1 to 64
  unsigned seed;    ///< of the small-set form; 0 in the partitioned form
  std::uint64_t n;  ///< keys
};

base::Bytes encode(const Header& header);

/// Throws Error(corrupt) unless `section` begins with a sound header of a section with that layout.
Header decode_header(base::ByteView section, Layout layout);

}  // namespace crivo::ribbon
