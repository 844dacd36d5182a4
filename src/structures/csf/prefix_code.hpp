// SPDX-License-Identifier: Apache-2.0
/// Canonical prefix codes (Huffman, 1952; Schwartz, Kallick, 1964): a code is known by how many
/// codewords it has of each length.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "structures/csf/rows.hpp"

namespace crivo::csf {

/// The codewords of a code at most.
inline constexpr std::uint32_t kMaxCodewords = (1U << 16) + 1;

/// Codewords of each length from 0 to kMaxCodeBits. A single codeword has length 0; more are a
/// complete code: every sequence of bits begins with exactly one.
using LengthCounts = std::array<std::uint32_t, kMaxCodeBits + 1>;

/// As it is read: bit 0 of `bits` first.
struct Codeword {
  std::uint32_t bits;
  std::uint8_t length;
};

/// The optimal code for these weights, of which there are 1 to kMaxCodewords in descending order;
/// the i-th gets the i-th codeword. Weights below 2^-20 of the sum count as that much, which bounds
/// the lengths by kMaxCodeBits. O(weights).
LengthCounts optimal_code(std::span<const std::uint64_t> weights);

/// The sum of weight times length in that code.
std::uint64_t optimal_code_cost(std::span<const std::uint64_t> weights);

/// All codewords, by length.
std::vector<Codeword> codewords(const LengthCounts& counts);

/// Finds the codeword that a sequence of bits begins with.
class Decoder {
 public:
  /// `counts` are those of a complete code whose longest codeword has `code_bits` >= 1 bits.
  Decoder(const LengthCounts& counts, unsigned code_bits);

  /// The index of the codeword with which `bits` begins, the lowest first; at least code_bits of
  /// them count. O(1) up to kQuickBits, O(code_bits) beyond.
  std::uint32_t index(std::uint32_t bits) const noexcept;

 private:
  static constexpr unsigned kQuickBits = 10;
  static constexpr std::uint32_t kLonger = UINT32_MAX;

  std::vector<std::uint32_t> quick_;  // by the first bits: the index, or kLonger
  unsigned quick_bits_;
  /// By length: where the codewords up to it end, as numbers of 32 bits, the first bit highest.
  std::array<std::uint64_t, kMaxCodeBits + 1> ends_{};
  /// By length: the index less the number of the codeword with that index.
  std::array<std::uint32_t, kMaxCodeBits + 1> offsets_{};
};

/// Whether the counts are those of a single codeword of no bits, or of a complete code.
bool is_complete(const LengthCounts& counts) noexcept;

}  // namespace crivo::csf
