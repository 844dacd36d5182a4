// SPDX-License-Identifier: Apache-2.0
/// Codecs of tokens: a unit is a run of numbers of 12 or 16 bits, each that of a string of 1 to 16
/// bytes in a trained dictionary. The idea is that of OnPair (Gargiulo, Venturini: Short Strings
/// Compression for Fast Random Access, 2025). See formats/tokens.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "records/codec.hpp"

namespace crivo::records {

/// The longest token, in bytes: one copy of 16 bytes writes any.
inline constexpr std::size_t kMaxToken = 16;

/// The tokens of a dictionary, in the order of their numbers. Those below 256 are the single bytes.
class TokenList {
 public:
  TokenList() = default;
  /// The tokens of a dictionary's bytes, which may be empty: the single bytes alone. Throws
  /// Error(corrupt) if they are malformed, or if there are more than `most`.
  static TokenList decode(base::ByteView dictionary, std::size_t most);
  /// The dictionary's bytes: u32 m, the number of tokens from 256 on; their lengths less 1, of 4
  /// bits each, the low half of a byte first; their texts one after the other. Empty where m is 0.
  base::Bytes encode() const;

  std::size_t size() const noexcept { return kSingles + ends_.size(); }
  /// Of a token from 256 on.
  base::ByteView text(std::size_t token) const noexcept;
  /// Of 2 to 16 bytes.
  void add(base::ByteView text);

  static constexpr std::size_t kSingles = 256;

 private:
  base::Bytes bytes_;
  std::vector<std::uint32_t> ends_;  // in bytes_
};

/// What a trained dictionary has at most: a token's half byte and its text.
constexpr std::uint64_t longest_token_dictionary(unsigned bits) noexcept {
  return 4 + (((std::uint64_t{1} << bits) - TokenList::kSingles) * 33 + 1) / 2;
}

/// Tokens of `bits` (12 or 16) bits: see CodecType.
std::unique_ptr<const Codec> open_tokens(base::ByteView dictionary, unsigned bits);

}  // namespace crivo::records
