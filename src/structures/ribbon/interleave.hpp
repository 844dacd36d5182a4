// SPDX-License-Identifier: Apache-2.0
/// The solution of a layer as it stands in the file: blocks of slots by columns.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "structures/ribbon/header.hpp"

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

/// Appends `slots` (a multiple of 64) values of `width` bits to `out` in blocks: for each 64 of
/// them `width` words, in word j the bits j, the first slot's lowest; or for each 8 of them `width`
/// such bytes. The last word of the first `narrow_blocks` (of 64) is left out.
template <typename Value>
void interleave(const Value* values, std::uint64_t slots, unsigned width,
                std::uint64_t narrow_blocks, Layout layout, base::Bytes& out) {
  const std::uint64_t stride = layout == Layout::blocks_of_64 ? 8 : 1;  // from a byte to bits j + 1
  std::uint64_t begin = out.size();
  out.resize(begin + slots / 8 * width - 8 * narrow_blocks);
  for (std::uint64_t first = 0; first < slots; first += 8) {
    const std::uint64_t in_block = first % block_slots(layout) / 8;
    const unsigned columns = width - (first / 64 < narrow_blocks ? 1 : 0);
    std::byte* at = out.data() + begin + in_block;
    for (unsigned column = 0; column < columns; column += 8) {
      std::uint64_t rows = 0;
      for (unsigned i = 0; i < 8; ++i) {
        rows |= ((std::uint64_t{values[first + i]} >> column) & 0xff) << (8 * i);
      }
      const std::uint64_t eight = transpose8(rows);
      for (unsigned j = 0; j < 8 && column + j < columns; ++j, at += stride) {
        *at = static_cast<std::byte>(eight >> (8 * j));
      }
    }
    if (in_block + 1 == block_slots(layout) / 8) begin += block_bytes(layout, columns);
  }
}

}  // namespace crivo::ribbon
