// SPDX-License-Identifier: Apache-2.0
/// Where the row of a key lies in the bytes of a section.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "structures/ribbon/rows.hpp"

namespace crivo::ribbon {

/// Eight blocks, and the slots in them that the row takes: byte i of the coefficients for block i.
struct Row {
  const std::byte* block;  ///< the first
  std::uint64_t coefficients;
  unsigned width;  ///< bits of the key's value: columns of the first block
  /// Blocks that have `width` columns: the first, or all of them. Each other has one more.
  unsigned even;
};

/// A row of long ones, whose values have one bit: byte i of the coefficients for byte i from there.
struct LongRow {
  static constexpr unsigned width = 1;  // NOLINT(*-identifier-naming): what Row calls it

  const std::byte* block;
  LongCoefficients coefficients;
};

/// The bytes of the blocks that a row takes.
[[gnu::always_inline]] inline std::uint64_t bytes_of(const Row& row) noexcept {
  return std::uint64_t{kRowBlocks} * row.width + (kRowBlocks - row.even);
}
[[gnu::always_inline]] inline std::uint64_t bytes_of(const LongRow&) noexcept {
  return kLongRows.row_blocks();
}

template <const Shape& kShape>
using RowOf = std::conditional_t<kShape.band_bits == kBandBits, Row, LongRow>;

/// Sets `row` to that of a key whose row begins with block `start` of those at `slots`. `width` and
/// `narrow_blocks` are theirs; only if `kNarrow` may there be any of the latter.
template <bool kNarrow>
[[gnu::always_inline]] inline void place_row(const std::byte* slots, std::uint64_t start,
                                             std::uint64_t row_coefficients, unsigned width,
                                             std::uint64_t narrow_blocks, Row& row) noexcept {
  row.block = slots + start * width;
  row.coefficients = row_coefficients;
  row.width = width;
  row.even = kRowBlocks;
  if constexpr (kNarrow) {
    // By arithmetic, as no processor could guess whether a row is narrow.
    const std::uint64_t left = narrow_blocks - start;
    const std::uint64_t is_narrow = (start - narrow_blocks) >> 63;
    row.block -= narrow_blocks - (left & (0 - is_narrow));
    row.width -= static_cast<unsigned>(is_narrow);
    if (left - 1 < kRowBlocks - 1) [[unlikely]]
      row.even = static_cast<unsigned>(left);
  }
}

}  // namespace crivo::ribbon
