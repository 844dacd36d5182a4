/// The fixed first bytes of a ribbon section (formats/ribbon.md).
#pragma once

#include <cstdint>

#include "file/bytes.hpp"

namespace crivo::ribbon {

struct Header {
  unsigned width;   ///< bits of a value, 1 to 64
  unsigned seed;    ///< of the small-set form; 0 in the partitioned form
  std::uint64_t n;  ///< keys
};

inline constexpr std::uint64_t kHeaderBytes = 64;
/// The bytes of a partition's entry in the table: the slot counts of its layers.
inline constexpr std::uint64_t kTableEntryBytes = 32;
/// Zero bytes after the columns of the small-set form: a lookup loads 17 bytes at a time.
inline constexpr std::uint64_t kSmallPadding = 24;

/// Zero bytes at the end of the partitioned form: a lookup loads the block after its row's first
/// one, and its words by eights.
constexpr std::uint64_t end_padding(unsigned width) noexcept {
  return (width + 7U) / 8 * 64;
}

file::Bytes encode(const Header& header);

/// Throws Error(corrupt) unless `section` begins with a sound header.
Header decode_header(file::ByteView section);

}  // namespace crivo::ribbon
