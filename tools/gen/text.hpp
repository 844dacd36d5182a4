// SPDX-License-Identifier: Apache-2.0
/// The pieces of text that urls and words are made of.
///
/// Every function writes at `p` and returns the end of what it wrote. It may scribble up to kSlack
/// bytes past that end: pieces are copied in fixed-size moves, which is what makes a key cheap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace crivo::gen {

inline constexpr std::size_t kSlack = 16;

/// The low bits of a number, taken piece by piece. What is left is `value < 2^left`.
struct Bits {
  std::uint64_t value;
  unsigned left;

  /// The next `count` <= left bits.
  std::uint64_t take(unsigned count) noexcept {
    const std::uint64_t piece = value & ((std::uint64_t{1} << count) - 1);
    value >>= count;
    left -= count;
    return piece;
  }
};

/// A short string that is copied in one move of `kRoom` bytes.
template <std::size_t kRoom>
struct Piece {
  char text[kRoom] = {};
  std::uint8_t size = 0;

  constexpr Piece() = default;
  // Implicit, so that a table of pieces is a list of strings.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Piece(std::string_view s) : size(static_cast<std::uint8_t>(s.size())) {
    for (std::size_t i = 0; i < s.size(); ++i) text[i] = s[i];
  }
  constexpr std::string_view view() const noexcept { return {text, size}; }

  char* write(char* p) const noexcept {
    std::memcpy(p, text, kRoom);
    return p + size;
  }
};

/// Writes `s` itself.
inline char* write_text(char* p, std::string_view s) noexcept {
  std::memcpy(p, s.data(), s.size());
  return p + s.size();
}

/// `value` in decimal, without leading zeros. At most 20 bytes.
char* write_decimal(char* p, std::uint64_t value) noexcept;

/// One of 256 distinct English words, 3 to 11 lower-case letters; the first 32 make fair
/// subdomains.
char* write_dictionary_word(char* p, std::uint64_t index) noexcept;
inline constexpr unsigned kDictionaryBits = 8;
inline constexpr unsigned kSubdomainBits = 5;

/// A pronounceable syllable is a run of consonants (the onset) followed by a run of vowels (the
/// nucleus). No onset or coda has a vowel in it and no nucleus a consonant ('y' does not occur),
/// so a text of syllables is cut into its runs in one way only, and as the
/// entries of each table differ, it tells the numbers it was made from.
inline constexpr unsigned kOnsetBits = 5;
inline constexpr unsigned kNucleusBits = 3;
inline constexpr unsigned kSyllableBits = kOnsetBits + kNucleusBits;
inline constexpr unsigned kCodaBits = 3;

char* write_initial_onset(char* p, std::uint64_t index) noexcept;  ///< 1 to 3 letters, no 'x'
char* write_medial_onset(char* p, std::uint64_t index) noexcept;   ///< 1 to 2 letters, no 'x'
char* write_nucleus(char* p, std::uint64_t index) noexcept;        ///< 1 to 2 letters, not doubled
char* write_coda(char* p, std::uint64_t index) noexcept;           ///< 0 to 2 letters, no 'x'

/// Medial syllables of the next `count` * 8 bits.
char* write_syllables(char* p, Bits& bits, unsigned count) noexcept;

/// A pseudo-word of all the bits that are left: syllables, then a shorter syllable or a coda for a
/// rest of fewer than 8. Different values of the same number of bits give different words. No bits
/// give no letters.
char* write_pseudo_word(char* p, Bits bits) noexcept;

}  // namespace crivo::gen
