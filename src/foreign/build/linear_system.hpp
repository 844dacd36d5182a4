// SPDX-License-Identifier: Apache-2.0
/// Linear systems over GF(2) whose equations have 256 consecutive coefficients each: ribbons, after
/// Dillinger and Walzer, "Ribbon filter: practically smaller than Bloom and Xor", 2021.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "foreign/build/column_bits.hpp"
#include "foreign/clubcard_key.hpp"

namespace crivo::foreign {

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
  /// What it holds in memory.
  static constexpr std::uint64_t bytes_of(std::uint64_t rows) noexcept {
    return rows * (sizeof(Coefficients) + 1);
  }

 private:
  std::vector<Coefficients> rows_;  ///< zero, or with a first coefficient of 1
  std::vector<std::uint8_t> values_;
};

}  // namespace crivo::foreign
