// SPDX-License-Identifier: Apache-2.0
/// A piece of an input, and places in it.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace crivo::input {

/// The line number of a chunk that was cut without reading what stands before it.
inline constexpr std::uint64_t kUnknownLine = UINT64_MAX;

/// A place in the input: what an error message names. Counts are from 0 here and from 1 in
/// messages.
struct Place {
  std::size_t file = 0;               ///< index into the input's sources
  std::uint64_t offset = 0;           ///< of the unit's first byte among the file's decoded bytes
  std::uint64_t line = kUnknownLine;  ///< of the unit in its file, from 0

  friend bool operator<(const Place& a, const Place& b) noexcept {
    return a.file != b.file ? a.file < b.file : a.offset < b.offset;
  }
};

/// The columns of a file whose header names them, from 1.
struct NamedColumns {
  std::uint32_t key = 0;
  std::uint32_t value = 0;
  std::uint32_t row = 0;
  std::vector<std::uint32_t> leading{};  ///< of the key, before the one that ends it
};

/// A run of whole units. The last may lack its delimiter at the end of a file.
struct Chunk {
  Place start;  ///< of the first unit
  /// The number of the first unit in the whole input, where known; lines that are none count too.
  std::uint64_t ordinal = kUnknownLine;
  std::span<const char> bytes;  ///< inside `storage`
  bool is_plain = false;        ///< the file has them as they are, from the offset of `start` on
  std::vector<char> storage;    ///< reused from chunk to chunk
  std::uint64_t sequence = 0;   ///< ascends with the chunks of its file, with gaps
  /// Room for keys and records that are written otherwise in `bytes` (quoted, escaped, or in
  /// hexadecimal): what is
  /// cut out of one chunk twice is put into the same places again.
  mutable std::vector<char> decoded;
  /// The same for texts that are put together.
  mutable std::vector<char> joined;
  NamedColumns columns{};  ///< of the file, where the format names some
  /// Line ends in columns before the unit at hand, and lines that are none, which its line number
  /// counts too.
  mutable std::uint64_t inner_lines = 0;
  mutable std::uint64_t blank_lines = 0;  ///< those that are none, when all units were visited
  /// Held where a unit is so long that one thread at a time may have such a chunk.
  std::unique_lock<std::mutex> turn{};
};

}  // namespace crivo::input
