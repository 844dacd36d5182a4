/// The fixed fields of a coded section (formats/coded.md).
///
///     section   header 32 | level 0 | level 1 | ... | 40 bytes a level
///     level     filter of the keys without the dominant value | lengths and values of codewords |
///               one-bit ribbon: a key's bits begin with its codeword; the escape leads to the next
///               level
///     plain     a ribbon section of whole values (the last level's)
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "structures/csf/prefix_code.hpp"

namespace crivo::csf {

inline constexpr std::uint64_t kHeaderBytes = 32;
inline constexpr std::uint64_t kEntryBytes = 40;
/// The bytes of a partition's entry in a ribbon's table: the slot counts of its layers, in words
/// of 64.
inline constexpr std::uint64_t kTableEntryBytes = 16;

struct Header {
  std::uint64_t n;        ///< keys
  std::uint64_t entropy;  ///< of the values, in 2^-32 bits a key
  unsigned width;         ///< bits of the largest value, 0 to 64
  unsigned levels;
};

/// A level's entry in the table at the section's end.
struct LevelEntry {
  bool plain = false;
  Shape filter;  ///< its codewords are fingerprints of filter.code_bits bits
  Shape codes;
  std::uint32_t codewords = 0;
  std::optional<std::uint32_t> escape;  ///< the number of a codeword
  std::uint64_t dominant = 0;
  std::uint64_t filter_bytes = 0;
  std::uint64_t body_bytes = 0;

  /// What the level and its body begin at a multiple of: a ribbon section's own rule, or a word.
  std::uint64_t alignment() const noexcept { return plain ? 64 : 8; }
};

/// A fingerprint of `bits` bits, 1 to 30, for the filter of level `level`.
constexpr std::uint32_t fingerprint(Hash128 hash, unsigned level, unsigned bits) noexcept {
  return static_cast<std::uint32_t>(bits::mix64(hash.lo ^ (level + 1) * 0x9e6c63d0876a9a47U) >>
                                    (64 - bits));
}

/// The bytes of a symbol.
constexpr unsigned symbol_bytes(unsigned width) noexcept {
  return (width + 7) / 8;
}

base::Bytes encode(const Header& header);
base::Bytes encode(const LevelEntry& entry);

/// Throws Error(corrupt) unless `section` begins with a sound header.
Header decode_header(base::ByteView section);
/// The entries of all levels, from the section's end. Throws Error(corrupt) unless they are sound.
std::vector<LevelEntry> decode_entries(const Header& header, base::ByteView section);

}  // namespace crivo::csf
