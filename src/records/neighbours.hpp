// SPDX-License-Identifier: Apache-2.0
/// The codec `neighbours`: blocks of records that follow one another in the order of their keys,
/// each record as what differs from those before it. One record in eight is a *leader*, which is
/// decoded before others can be: so a record costs at most nine, and not the block. The bytes are
/// those of LZ77 (Ziv and Lempel, 1977), under prefix codes that the dictionary has.
/// formats/neighbours.md specifies them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "records/block.hpp"
#include "records/codec.hpp"
#include "structures/csf/prefix_code.hpp"

namespace crivo::records {

/// One record in so many is a leader.
inline constexpr std::size_t kRecordsALeader = 8;
/// Longer records are not encoded.
inline constexpr std::size_t kMostNeighbourBytes = std::size_t{64} << 10;
/// An encoded block has at most so many records.
inline constexpr std::size_t kMostNeighbours = kMostBlock / kLeastRawRecord;
/// The text that the first leader of a block is coded against.
inline constexpr std::size_t kMostNeighbourText = std::size_t{64} << 10;

/// A number as a symbol and some bits: those below `direct` are symbols themselves; the others have
/// two symbols for each power of two.
template <unsigned kDirect>
struct Bucketed {
  std::uint32_t symbol;
  std::uint32_t bits;
  unsigned size;  ///< of the bits

  static constexpr Bucketed of(std::uint32_t number) noexcept {
    if (number < kDirect) return {number, 0, 0};
    const std::uint32_t from_4 = number - kDirect + 4;
    const unsigned size = static_cast<unsigned>(std::bit_width(from_4)) - 2;
    return {kDirect + 2 * (size - 1) + (from_4 >> size & 1), from_4 & ((1U << size) - 1), size};
  }
  /// The bits behind a symbol, and the least number that has it.
  static constexpr unsigned size_of(std::uint32_t symbol) noexcept {
    return symbol < kDirect ? 0 : (symbol - kDirect) / 2 + 1;
  }
  static constexpr std::uint32_t least_of(std::uint32_t symbol) noexcept {
    if (symbol < kDirect) return symbol;
    const unsigned size = size_of(symbol);
    return kDirect - 4 + ((2 | (symbol - kDirect) % 2) << size);
  }
};

/// The alphabets of a record's symbols, in the order in which the dictionary has their codes.
struct Symbols {
  using LiteralLength = Bucketed<16>;
  using MatchLength = Bucketed<32>;
  /// Literals before a match; bytes of a match less 1, 0 at the end; where the match lies; bytes.
  static constexpr std::size_t kLiteralLengths = 48;
  static constexpr std::size_t kMatchLengths = 64;
  static constexpr std::size_t kOffsets = 40;
  static constexpr std::size_t kLiterals = 256;
  static constexpr std::array<std::size_t, 4> kSizes{kLiteralLengths, kMatchLengths, kOffsets,
                                                     kLiterals};
  static constexpr std::size_t kSymbols = kLiteralLengths + kMatchLengths + kOffsets + kLiterals;
};

/// Where a match lies, as a symbol: as far back as the last one; up to kNear bytes more or less; or
/// the power of two in the distance, with the bits below it.
struct Offset {
  static constexpr std::uint32_t kNear = 8;
  static constexpr std::uint32_t kFirstPower = 2 * kNear + 1;

  std::uint32_t symbol;
  std::uint32_t bits = 0;
  unsigned size = 0;

  static constexpr Offset of(std::uint32_t distance, std::uint32_t last) noexcept {
    if (distance == last) return {0};
    if (distance < last && last - distance <= kNear) return {last - distance};
    if (distance > last && distance - last <= kNear) return {kNear + distance - last};
    const unsigned size = static_cast<unsigned>(std::bit_width(distance)) - 1;
    return {kFirstPower + size, distance & ((1U << size) - 1), size};
  }
};

/// The leaders that are decoded before record `number` of a block of so many records, and whether
/// it is one itself.
constexpr bool is_leader(std::size_t number) noexcept {
  return number % kRecordsALeader == 0;
}
constexpr std::size_t leaders_of(std::size_t records) noexcept {
  return (records + kRecordsALeader - 1) / kRecordsALeader;
}
constexpr std::size_t leaders_before(std::size_t number, std::size_t records) noexcept {
  const std::size_t own = number / kRecordsALeader;
  return is_leader(number) ? own : std::min(own + 2, leaders_of(records));
}

inline constexpr std::size_t kMostNeighbourDictionary = Symbols::kSymbols + kMostNeighbourText;

/// A code for the symbols of an alphabet, by their lengths.
struct SymbolCode {
  std::vector<csf::Codeword> of_symbol;

  /// Throws Error(corrupt) unless the lengths are those of a complete code.
  explicit SymbolCode(base::ByteView lengths);
};

/// See CodecType::open.
std::unique_ptr<const Codec> open_neighbours(base::ByteView dictionary);

}  // namespace crivo::records
