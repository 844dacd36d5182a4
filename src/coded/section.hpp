/// The fixed fields of a coded section (formats/coded.md).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "coded/prefix_code.hpp"
#include "file/bytes.hpp"

namespace crivo::coded {

inline constexpr std::uint64_t kHeaderBytes = 64;
inline constexpr std::uint64_t kEntryBytes = 64;
/// Zero bytes at the end of a level's body: a lookup loads 24 bytes from a codeword's start.
inline constexpr std::uint64_t kBodyPadding = 64;
/// The bytes of a partition's entry in a level's table: the slot counts of its layers.
inline constexpr std::uint64_t kTableEntryBytes = 32;
/// Zero bytes after the symbols: a lookup loads 8 bytes from one.
inline constexpr std::uint64_t kSymbolPadding = 8;

struct Header {
  std::uint64_t n;        ///< keys
  std::uint64_t entropy;  ///< of the values, in 2^-32 bits a key
  unsigned width;         ///< bits of the largest value, 0 to 64
  unsigned levels;
};

/// A level's entry in the table at the section's end.
struct LevelEntry {
  bool plain = false;
  unsigned filter_bits = 0;
  unsigned code_bits = 0;       ///< of the longest codeword
  unsigned partition_bits = 0;  ///< 2^partition_bits partitions
  std::uint32_t codewords = 0;
  std::optional<std::uint32_t> escape;  ///< the number of a codeword
  std::uint64_t dominant = 0;
  std::uint64_t filter_bytes = 0;
  std::uint64_t body_bytes = 0;
};

/// A fingerprint of `bits` bits, 1 to 32, for the filter of level `level`.
constexpr std::uint64_t fingerprint(Hash128 hash, unsigned level, unsigned bits) noexcept {
  return util::mix64(hash.lo ^ (level + 1) * 0x9e6c63d0876a9a47U) >> (64 - bits);
}

/// The bytes of a symbol.
constexpr unsigned symbol_bytes(unsigned width) noexcept {
  return (width + 7) / 8;
}

file::Bytes encode(const Header& header);
file::Bytes encode(const LevelEntry& entry);

/// Throws Error(corrupt) unless `section` begins with a sound header.
Header decode_header(file::ByteView section);
/// The entries of all levels, from the section's end. Throws Error(corrupt) unless they are sound.
std::vector<LevelEntry> decode_entries(const Header& header, file::ByteView section);

}  // namespace crivo::coded
