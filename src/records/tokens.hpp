// SPDX-License-Identifier: Apache-2.0
/// Codecs of tokens: a unit is a run of numbers of 12 or 16 bits, each that of a string of 1 to 16
/// bytes in a trained dictionary. The idea is that of OnPair (Gargiulo, Venturini: Short Strings
/// Compression for Fast Random Access, 2025). See formats/tokens.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "records/codec.hpp"

namespace crivo::records {

// Numbers of 12 bits one after the other, the lowest bits of the first byte first; four bits that
// are left over are zero.
struct Packed12 {
  static constexpr unsigned kBits = 12;

  // The bytes of so many tokens.
  static std::size_t size(std::size_t tokens) noexcept { return (3 * tokens + 1) / 2; }
  static bool count(base::ByteView stored, std::size_t& tokens) noexcept {
    tokens = 2 * stored.size() / 3;
    return size(tokens) == stored.size() &&
           (tokens % 2 == 0 || static_cast<unsigned>(stored.back()) < 16);
  }
  static std::uint32_t get(const std::byte* stored, std::size_t i) noexcept {
    const std::uint32_t both = base::load_le<std::uint16_t>(stored + 3 * i / 2);
    return i % 2 == 0 ? both & 0xfff : both >> 4;
  }
  // In order.
  static void put(std::byte* stored, std::size_t i, std::uint32_t token) noexcept {
    std::byte* const at = stored + 3 * i / 2;
    if (i % 2 == 0) {
      base::store_le(at, static_cast<std::uint16_t>(token));
    } else {
      *at |= static_cast<std::byte>(token << 4);
      at[1] = static_cast<std::byte>(token >> 4);
    }
  }
  // Tokens that eight bytes hold and that end with a byte, and how many bytes they are.
  static constexpr std::size_t kRun = 4;
  static constexpr std::size_t kRunBytes = 6;
};

// Numbers of 16 bits.
struct Packed16 {
  static constexpr unsigned kBits = 16;

  static std::size_t size(std::size_t tokens) noexcept { return 2 * tokens; }
  static bool count(base::ByteView stored, std::size_t& tokens) noexcept {
    tokens = stored.size() / 2;
    return stored.size() % 2 == 0;
  }
  static std::uint32_t get(const std::byte* stored, std::size_t i) noexcept {
    return base::load_le<std::uint16_t>(stored + 2 * i);
  }
  static void put(std::byte* stored, std::size_t i, std::uint32_t token) noexcept {
    base::store_le(stored + 2 * i, static_cast<std::uint16_t>(token));
  }
  static constexpr std::size_t kRun = 4;
  static constexpr std::size_t kRunBytes = 8;
};

/// The longest token, in bytes: one copy of 16 bytes writes any.
inline constexpr std::size_t kMaxToken = 16;

/// The tokens of a dictionary, in the order of their numbers. Those below 256 are the single bytes.
class TokenList {
 public:
  TokenList() = default;
  /// The tokens of a dictionary's bytes, which may be empty: the single bytes alone. Throws
  /// Error(corrupt) if they are malformed, or if there are more than `most`.
  static TokenList decode(base::ByteView dictionary, std::size_t most);
  /// The dictionary's bytes: u32 m, the number of tokens from 256 on; u16 the length of each group;
  /// the groups, of 128 tokens each, the last of fewer: their lengths less 1, of 4 bits each, the
  /// low half of a byte first; their texts one after the other. Empty where m is 0.
  base::Bytes encode() const;

  std::size_t size() const noexcept { return kSingles + ends_.size(); }
  /// The text of a token from 256 on.
  base::ByteView text(std::size_t token) const noexcept;
  /// Adds a token of 2 to 16 bytes.
  void add(base::ByteView text);

  static constexpr std::size_t kSingles = 256;

 private:
  base::Bytes bytes_;
  std::vector<std::uint32_t> ends_;  // in bytes_
};

/// Returns the most bytes of a trained dictionary: a token's half byte and its text, and two bytes
/// a group.
constexpr std::uint64_t longest_token_dictionary(unsigned bits) noexcept {
  const std::uint64_t tokens = (std::uint64_t{1} << bits) - TokenList::kSingles;
  return 4 + (tokens * 33 + 1) / 2 + tokens / 64;
}

/// Tokens of `bits` (12 or 16) bits: see CodecType. Of a dictionary with checks a group is
/// read when a unit has a token of it, or soon after.
std::unique_ptr<const Codec> open_tokens(const base::CheckedBytes& dictionary, unsigned bits);

}  // namespace crivo::records
