// SPDX-License-Identifier: Apache-2.0
/// The linear equation that a clubcard makes of a certificate: after Schanck, "Clubcards for the
/// WebPKI", IEEE S&P 2025, with the parameters that C2SP's upki-revocation fixes.
///
/// Bytes as texts of hexadecimal digits, two a byte.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "hashing/sha256.hpp"

namespace crivo::foreign {

/// The hash of an issuer's public key, by which its certificates are grouped.
inline constexpr std::size_t kIssuerBytes = 32;
/// The longest serial number, as lists of exceptions have a byte for its length.
inline constexpr std::size_t kMaxSerialBytes = 255;

/// 256 consecutive coefficients of an equation, the first in the lowest bit of the first word.
struct Coefficients {
  static constexpr std::size_t kWords = 4;
  static constexpr std::size_t kBits = 64 * kWords;

  std::array<std::uint64_t, kWords> words{};

  friend auto operator<=>(const Coefficients&, const Coefficients&) = default;

  bool is_zero() const noexcept { return (words[0] | words[1] | words[2] | words[3]) == 0; }
  Coefficients& operator^=(const Coefficients& other) noexcept {
    for (std::size_t i = 0; i < kWords; ++i) words[i] ^= other.words[i];
    return *this;
  }
  /// The sum, in GF(2), of the products with 256 values.
  unsigned times(const Coefficients& values) const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kWords; ++i) sum ^= words[i] & values.words[i];
    return static_cast<unsigned>(std::popcount(sum)) & 1;
  }
  /// Moves them until the first is 1, and returns how far. They are not all zero.
  unsigned align() noexcept {
    unsigned moved = 0;
    while (words[0] == 0) {
      std::ranges::copy(words.begin() + 1, words.end(), words.begin());
      words[kWords - 1] = 0;
      moved += 64;
    }
    const auto shift = static_cast<unsigned>(std::countr_zero(words[0]));
    if (shift == 0) return moved;
    for (std::size_t i = 0; i + 1 < kWords; ++i)
      words[i] = words[i] >> shift | words[i + 1] << (64 - shift);
    words[kWords - 1] >>= shift;
    return moved + shift;
  }
};

/// The 256 bits from `row` on, where word_at(i) is the word that has the bits from 64 i on.
template <typename WordAt>
Coefficients window_of(std::uint64_t row, WordAt&& word_at) {
  const std::uint64_t first = row / 64;
  const unsigned shift = row % 64;
  Coefficients bits;
  std::uint64_t low = word_at(first);
  for (std::size_t i = 0; i < Coefficients::kWords; ++i) {
    const std::uint64_t high = word_at(first + i + 1);
    bits.words[i] = shift == 0 ? low : low >> shift | high << (64 - shift);
    low = high;
  }
  return bits;
}

/// A certificate's key: SHA-256 of its issuer and its serial number.
struct ClubcardKey {
  explicit ClubcardKey(const hashing::Sha256Value& hash) noexcept {
    for (std::size_t i = 0; i < Coefficients::kWords; ++i)
      coefficients.words[i] = base::load_le<std::uint64_t>(hash.data() + 8 * i);
    coefficients.words[0] |= 1;
  }

  /// The row at which its equation begins, in a system of so many.
  std::uint64_t row(std::uint64_t rows) const noexcept {
    return coefficients.words[3] % std::max<std::uint64_t>(rows, 1);
  }

  Coefficients coefficients;
};

/// Rows of an issuer's system of so many equations: 2 % more. Those of a homogeneous system that
/// is to refuse others, and of the exact one, alike.
constexpr std::uint64_t system_rows(std::uint64_t equations) noexcept {
  return static_cast<std::uint64_t>(1.02 * static_cast<double>(equations));
}

/// Appends the bytes that digits of either case write; false where they are none.
inline bool append_hex(std::string_view digits, base::Bytes& to) {
  if (digits.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = base::hex_digit(digits[i]);
    const int low = base::hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) return false;
    to.push_back(static_cast<std::byte>(high << 4 | low));
  }
  return true;
}

/// So many bytes; nothing where `digits` are no such text.
template <std::size_t kSize>
std::optional<std::array<std::byte, kSize>> bytes_of_hex(std::string_view digits) {
  base::Bytes bytes;
  std::array<std::byte, kSize> made{};
  if (digits.size() != 2 * kSize || !append_hex(digits, bytes)) return {};
  std::ranges::copy(bytes, made.begin());
  return made;
}

}  // namespace crivo::foreign
