/// The solution of a layer as it stands in the file: blocks of 64 slots by columns.
#pragma once

#include <cstdint>

#include "file/bytes.hpp"

namespace crivo::ribbon {

/// Transposes the 8 x 8 bits in which row i is byte i (Warren, "Hacker's Delight", 7-3).
constexpr std::uint64_t transpose8(std::uint64_t bits) noexcept {
  const auto swap = [&bits](unsigned shift, std::uint64_t mask) {
    const std::uint64_t moved = (bits ^ (bits >> shift)) & mask;
    bits ^= moved ^ (moved << shift);
  };
  swap(7, 0x00aa00aa00aa00aaU);
  swap(14, 0x0000cccc0000ccccU);
  swap(28, 0x00000000f0f0f0f0U);
  return bits;
}

/// Appends `slots` (a multiple of 64) values of `width` bits to `out`: for each 64 of them `width`
/// words, in word j the bits j, the first slot's lowest.
template <typename Value>
void interleave(const Value* values, std::uint64_t slots, unsigned width, file::Bytes& out) {
  std::uint64_t at = out.size();
  out.resize(at + slots / 8 * width);
  for (std::uint64_t first = 0; first < slots; first += 64) {
    for (unsigned column = 0; column < width; column += 8) {
      std::uint64_t words[8] = {};
      for (unsigned k = 0; k < 64; k += 8) {
        std::uint64_t rows = 0;
        for (unsigned i = 0; i < 8; ++i) {
          rows |= ((std::uint64_t{values[first + k + i]} >> column) & 0xff) << (8 * i);
        }
        const std::uint64_t columns = transpose8(rows);
        for (unsigned j = 0; j < 8; ++j) words[j] |= ((columns >> (8 * j)) & 0xff) << k;
      }
      for (unsigned j = 0; j < 8 && column + j < width; ++j, at += 8) {
        file::store_le(out.data() + at, words[j]);
      }
    }
  }
}

}  // namespace crivo::ribbon
