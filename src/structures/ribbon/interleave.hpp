// SPDX-License-Identifier: Apache-2.0
/// The solution of a layer as it stands in the file: blocks of slots by columns.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "structures/ribbon/rows.hpp"

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

/// Appends `slots` (a multiple of 8) values of `width` bits to `out` in blocks of 8: `width` bytes,
/// in byte j the bits j, the first slot's lowest. The last byte of the first `narrow_blocks` is
/// left out.
template <typename Value>
void interleave(const Value* values, std::uint64_t slots, unsigned width,
                std::uint64_t narrow_blocks, base::Bytes& out) {
  const std::size_t begin = out.size();
  out.resize(begin + slots / kBlockSlots * width - narrow_blocks);
  std::byte* at = out.data() + begin;
  for (std::uint64_t block = 0; block < slots / kBlockSlots; ++block, values += kBlockSlots) {
    const unsigned columns = width - (block < narrow_blocks ? 1 : 0);
    for (unsigned column = 0; column < columns; column += 8) {
      std::uint64_t rows = 0;
      for (unsigned i = 0; i < 8; ++i) {
        rows |= ((std::uint64_t{values[i]} >> column) & 0xff) << (8 * i);
      }
      const std::uint64_t eight = transpose8(rows);
      for (unsigned j = 0; j < 8 && column + j < columns; ++j) {
        *at++ = static_cast<std::byte>(eight >> (8 * j));
      }
    }
  }
}

}  // namespace crivo::ribbon
