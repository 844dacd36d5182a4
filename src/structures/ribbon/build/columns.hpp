// SPDX-License-Identifier: Apache-2.0
/// The solution of a layer, made as it stands in the file: column by column, in blocks of 8
/// slots.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "base/cpu.hpp"
#include "structures/ribbon/build/band.hpp"
#include "structures/ribbon/header.hpp"
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

/// How a layer's slots stand in the file.
struct LayerForm {
  unsigned width;               ///< columns, at most 8 sizeof(Value)
  std::uint64_t slots;          ///< a multiple of 8
  std::uint64_t narrow_blocks;  ///< the first, which lack the last column

  std::uint64_t bytes() const noexcept { return slots / 8 * width - narrow_blocks; }
};

/// Solves the equations of a band that has `form.slots` slots, and appends its blocks to `out`. The
/// band is of no use afterwards. The bytes are the same whatever `cpu`.
template <typename Value>
void append_solution(Band<std::uint64_t, Value>& band, const LayerForm& form, base::Cpu cpu,
                     base::Bytes& out);
/// The same of long rows, and so of one column.
void append_solution(Band<Uint128, std::uint8_t>& band, const LayerForm& form, base::Cpu cpu,
                     base::Bytes& out);

/// Back substitution by columns: of each there are the last 64 slots in a word, the next slot is
/// the parity of some of them, for several columns at once. The lowest byte is a column of a block.
/// Null where `cpu` has no such instructions as make this quicker than Band::solve().
template <typename Value>
using SolveColumns = void (*)(const std::uint64_t* coefficients, const Value* values,
                              const LayerForm& form, std::byte* blocks) noexcept;
template <typename Value>
SolveColumns<Value> solve_columns_avx2() noexcept;
/// For base::Cpu::avx512 with a population count of vectors (AVX512_VPOPCNTDQ).
template <typename Value>
SolveColumns<Value> solve_columns_avx512() noexcept;

}  // namespace crivo::ribbon
