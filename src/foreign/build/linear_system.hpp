// SPDX-License-Identifier: Apache-2.0
/// Linear systems over GF(2) whose equations have 256 consecutive coefficients each: ribbons, after
/// Dillinger and Walzer, "Ribbon filter: practically smaller than Bloom and Xor", 2021.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "foreign/clubcard_key.hpp"

namespace crivo::foreign {

/// The 256 bits of a column from `row` on; those behind its words are 0.
inline Coefficients bits_from(const std::vector<std::uint64_t>& words, std::uint64_t row) noexcept {
  return window_of(row, [&](std::uint64_t i) { return i < words.size() ? words[i] : 0; });
}

/// Bits that are put in front of those that there are: of one column, the solutions of all systems.
class ColumnBits {
 public:
  /// For bits below `end`, a multiple of 64.
  explicit ColumnBits(std::uint64_t end) noexcept : end_(end) {}

  void push_front(bool bit) {
    if (size_ % 64 == 0) words_.push_back(0);
    ++size_;
    words_.back() |= std::uint64_t{bit} << (63 - (size_ - 1) % 64);
  }
  /// The place of the first bit.
  std::uint64_t begin() const noexcept { return end_ - size_; }
  /// The first 256 bits; 0 behind the end.
  Coefficients first() const noexcept {
    return window_of(begin() % 64, [&](std::uint64_t i) {
      return i < words_.size() ? words_.rbegin()[static_cast<std::ptrdiff_t>(i)] : 0;
    });
  }
  /// The words from `begin` on, a multiple of 64 at most begin(), without zeros at the end.
  std::vector<std::uint64_t> words(std::uint64_t begin) const {
    std::vector<std::uint64_t> words((end_ - begin) / 64, 0);
    std::ranges::copy(words_, words.rbegin());
    while (!words.empty() && words.back() == 0) words.pop_back();
    return words;
  }

 private:
  std::uint64_t end_;
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> words_;  ///< the last first
};

/// An equation of a system: the sum of the values from `row` on, each times its coefficient, is
/// `value`.
struct Equation {
  std::uint64_t row = 0;
  Coefficients coefficients;
  bool value = false;
};

/// A system in the form of a triangle.
class LinearSystem {
 public:
  /// Equations begin in one of the first `rows`; some more are made where they are needed.
  explicit LinearSystem(std::uint64_t rows) : rows_(rows), values_(rows) {}

  /// Adds an equation, and returns whether it contradicts none of those before: one that does is
  /// left out. Those that come in the order of their rows are added in the least time: some tens of
  /// steps each, as long as there are 2 % more rows than equations.
  bool add(Equation equation);
  std::uint64_t rows() const noexcept { return rows_.size(); }

  /// Puts values that solve all equations in front of `bits`, which the last of them reach into.
  /// `seed` draws those that are free.
  void solve(ColumnBits& bits, std::uint64_t seed) const;
  /// The bytes that it holds in memory.
  static constexpr std::uint64_t bytes_of(std::uint64_t rows) noexcept {
    return rows * (sizeof(Coefficients) + 1);
  }

 private:
  std::vector<Coefficients> rows_;  ///< zero, or with a first coefficient of 1
  std::vector<std::uint8_t> values_;
};

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
