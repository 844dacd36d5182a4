// SPDX-License-Identifier: Apache-2.0
/// The solutions of many systems in the columns of one matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "foreign/build/column_bits.hpp"
#include "foreign/build/linear_system.hpp"

namespace crivo::foreign {

/// Rows that are given out from the last to the first: an equation reaches 255 rows beyond its own,
/// into those of the next system, whose values must be known.
class Matrix {
 public:
  /// For at most so many rows.
  explicit Matrix(std::uint64_t rows) : begin_(base::div_ceil(rows, 64) * 64) {}

  /// Puts a system's solutions in front of all others, in the first so many columns. Returns where
  /// its rows begin, for offset(). Columns of systems that come later are at least as many.
  std::uint64_t push_front(const LinearSystem& system, unsigned columns, std::uint64_t seed) {
    while (columns_.size() < columns) add_column(seed);
    for (unsigned i = 0; i < columns; ++i)
      system.solve(columns_[i], base::mix64(base::mix64(seed + i) + begin_));
    begin_ -= system.rows();
    return begin_;
  }
  /// The row of words() that one of push_front() is, once all are there.
  std::uint64_t offset(std::uint64_t begin) const noexcept { return begin - first_word() * 64; }
  std::size_t columns() const noexcept { return columns_.size(); }
  std::vector<std::uint64_t> words(std::size_t column) const {
    return columns_[column].words(first_word() * 64);
  }

 private:
  std::uint64_t first_word() const noexcept { return begin_ / 64; }

  /// Behind the last rows of a column are bits that are drawn: the solution of a system of few rows
  /// would be zeros otherwise, which all keys pass.
  void add_column(std::uint64_t seed) {
    ColumnBits bits(base::div_ceil(begin_ + Coefficients::kBits, 64) * 64);
    const std::uint64_t drawn = base::mix64(~base::mix64(seed + columns_.size()));
    while (bits.begin() != begin_) bits.push_front((base::mix64(drawn + bits.begin()) & 1) != 0);
    columns_.push_back(std::move(bits));
  }

  std::uint64_t begin_;
  std::vector<ColumnBits> columns_;
};

}  // namespace crivo::foreign
