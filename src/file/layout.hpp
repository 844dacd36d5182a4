// SPDX-License-Identifier: Apache-2.0
/// The fixed numbers of the container's layout (formats/crivo-1.md), shared by its writer and
/// reader.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.hpp"

namespace crivo::file::layout {

/// A non-ASCII byte shows a transfer that keeps 7 bits, the line endings one that rewrites them.
inline constexpr std::array<std::uint8_t, 8> kMagic{0xc3, 'C', 'R', 'V', '\r', '\n', 0x1a, '\n'};
inline constexpr std::uint64_t kHeaderBytes = 192;
inline constexpr std::uint64_t kEntryBytes = 96;
inline constexpr std::uint64_t kFooterBytes = 40;
/// Where the header has the offset of the table.
inline constexpr std::uint64_t kTableOffsetAt = 40;
/// Where the header has its checksum: it covers what is before.
inline constexpr std::uint64_t kHeaderChecksumAt = kHeaderBytes - 8;
/// The end of the footer, which the header's checksum does not cover: the length, that checksum and
/// the inverted magic.
inline constexpr std::uint64_t kFooterTailBytes = 24;
/// The alignment of sections, and of the chunks' checksums.
inline constexpr std::uint64_t kAlignment = 64;
/// The alignment of sections whose pages matter.
inline constexpr std::uint64_t kPageAlignment = 4096;
/// The bytes of a section that one checksum, and one leaf of the hash tree, covers.
inline constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 16;
inline constexpr std::uint64_t kChecksumBytes = 8;

/// The chunks of a section of `length` bytes.
constexpr std::uint64_t chunks_of(std::uint64_t length) noexcept {
  return length / kChunkBytes + (length % kChunkBytes != 0 ? 1 : 0);
}

inline base::ByteView magic() noexcept {
  return std::as_bytes(std::span(kMagic));
}

inline std::array<std::byte, 8> inverted_magic() noexcept {
  std::array<std::byte, 8> inverted{};
  for (std::size_t i = 0; i < kMagic.size(); ++i) inverted[i] = ~std::byte{kMagic[i]};
  return inverted;
}

/// The bytes that the header's checksum covers, of a file whose table begins at `table_offset`: the
/// header up to its checksum, and from the table to the footer's tail.
inline base::Bytes checked_bytes(base::ByteView file, std::uint64_t table_offset) {
  return base::FieldWriter()
      .bytes(file.first(kHeaderChecksumAt))
      .bytes(file.subspan(table_offset, file.size() - kFooterTailBytes - table_offset))
      .take();
}

}  // namespace crivo::file::layout
