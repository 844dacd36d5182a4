// SPDX-License-Identifier: Apache-2.0
/// The sections of a dictionary (formats/dictionary.md), and what they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/page_checks.hpp"

namespace crivo::dictionary {

inline constexpr unsigned kLeastBlockKeys = 16;
inline constexpr unsigned kMostBlockKeys = 256;
/// The longest key, in bytes.
inline constexpr std::uint64_t kMostKeyBytes = std::uint64_t{1} << 20;
/// The longest token, in bytes: one copy of 16 bytes writes any.
inline constexpr std::size_t kMaxToken = 16;
/// Readers may load so many bytes behind the last one of the blocks and of the directory.
inline constexpr std::size_t kPadding = 64;

// The section of the values: a head for each block of keys (u64 the least, u8 the width, u56 where
// its numbers begin), then their bits.
inline constexpr std::size_t kValueHeadBytes = 16;
inline constexpr unsigned kValueWidthBits = 8;
inline constexpr unsigned kMostPackedBits = 56;  ///< wider numbers are whole words
inline constexpr unsigned kWholeWordBits = 64;
/// Readers may load so many bytes behind the last of them.
inline constexpr std::size_t kValuePadding = 8;

/// The section of the head.
struct Head {
  std::uint64_t keys = 0;
  std::uint32_t block_keys = 64;
  std::uint16_t token_bits = 8;
  std::uint16_t offset_bytes = 2;  ///< of a block's offset behind that of its group: 2, 4 or 8
  std::uint64_t longest_key = 0;
  std::uint64_t block_bytes = 0;      ///< of all blocks, without the padding
  std::uint64_t directory_bytes = 0;  ///< of all nodes, without the padding

  std::uint64_t blocks() const noexcept {
    return keys / block_keys + (keys % block_keys == 0 ? 0 : 1);
  }
  /// Encodes it, to 64 bytes.
  base::Bytes encode() const;
  /// Throws Error(corrupt) for what no dictionary has.
  static Head decode(base::ByteView bytes);
};

/// The sections of a dictionary, in memory.
struct Sections {
  base::ByteView head;
  base::ByteView tokens;
  base::ByteView offsets;
  base::ByteView directory;
  base::ByteView blocks;
  std::optional<base::ByteView> values{};    ///< where numbers stand beside the keys
  const base::PageChecks* checks = nullptr;  ///< of the pages that are read, if there are any
};

}  // namespace crivo::dictionary
