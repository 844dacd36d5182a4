// SPDX-License-Identifier: Apache-2.0
/// A system of linear equations over GF(2) whose rows are bands of a few slots: elimination while
/// the rows arrive, and back substitution (Dillinger, Walzer, "Ribbon filter", 2021).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/arithmetic.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::ribbon {

inline unsigned trailing_zeros(std::uint64_t word) noexcept {
  return static_cast<unsigned>(std::countr_zero(word));
}

inline unsigned trailing_zeros(Uint128 word) noexcept {
  const auto low = static_cast<std::uint64_t>(word);
  return low != 0 ? trailing_zeros(low)
                  : 64 + trailing_zeros(static_cast<std::uint64_t>(word >> 64));
}

/// `Coefficients` is an unsigned type as wide as a band; `Value` holds a right-hand side. The row
/// with its first coefficient at slot s is kept at s; a slot whose coefficients are 0 has no row.
template <typename Coefficients, typename Value>
class Band {
 public:
  Band() = default;
  explicit Band(std::uint64_t slots) { begin(slots); }

  /// Makes it a band of `slots` slots without rows, in the memory that it has as far as that goes.
  void begin(std::uint64_t slots) {
    coefficients_.assign(base::align_up(slots + 1, 8), 0);
    values_.assign(coefficients_.size(), 0);
  }

  Coefficients* coefficients() noexcept { return coefficients_.data(); }
  /// Right-hand sides until solve(), the solution's slots after it.
  Value* values() noexcept { return values_.data(); }

  /// Adds the equation: the sum of the slots `slot` + t for the bits t of `row` is `value`. False
  /// if it contradicts those before. `row` is not 0 and reaches no slot that the band lacks.
  bool insert(std::uint64_t slot, Coefficients row, Value value) noexcept {
    while (row != 0) {
      const unsigned skip = trailing_zeros(row);
      row >>= skip;
      slot += skip;
      if (coefficients_[slot] == 0) {
        coefficients_[slot] = row;
        values_[slot] = value;
        return true;
      }
      row ^= coefficients_[slot];
      value ^= values_[slot];
    }
    return value == 0;
  }

  /// Back substitution, from the last slot to the first; slots without a row become 0. For each
  /// eight slots that are known, a table has the sums of all their subsets ("four Russians"), so
  /// that a row costs one table look-up for eight coefficients, whatever the width of the values.
  void solve() noexcept {
    constexpr unsigned kTables = sizeof(Coefficients);
    std::array<std::array<Value, 256>, kTables> sums{};
    for (std::uint64_t group = coefficients_.size() / 8; group-- > 0;) {
      Value* slots = values_.data() + 8 * group;
      for (unsigned k = 8; k-- > 0;) {
        const Coefficients row = coefficients_[8 * group + k];
        const Coefficients later = row >> (8 - k);
        Value value = slots[k];
        for (unsigned q = 0; q < kTables; ++q) {
          value ^= sums[(group + 1 + q) % kTables][static_cast<std::uint8_t>(later >> (8 * q))];
        }
        for (unsigned t = 1; t < 8 - k; ++t) {
          const auto taken = static_cast<Value>(Value{0} - (static_cast<Value>(row >> t) & 1));
          value ^= static_cast<Value>(slots[k + t] & taken);
        }
        slots[k] = value;
      }
      auto& table = sums[group % kTables];
      for (unsigned k = 0; k < 8; ++k) {
        for (unsigned subset = 0; subset < 1U << k; ++subset) {
          table[(1U << k) + subset] = static_cast<Value>(table[subset] ^ slots[k]);
        }
      }
    }
  }

 private:
  std::vector<Coefficients> coefficients_;  // one zero row at least follows the last slot
  std::vector<Value> values_;
};

}  // namespace crivo::ribbon
