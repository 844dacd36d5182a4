// SPDX-License-Identifier: Apache-2.0
/// The solution of a layer, made as it stands in the file: column by column, in blocks of 8
/// slots.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "base/cpu.hpp"
#include "structures/ribbon/band.hpp"
#include "structures/ribbon/header.hpp"

namespace crivo::ribbon {

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
