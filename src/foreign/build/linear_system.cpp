// SPDX-License-Identifier: Apache-2.0
#include "foreign/build/linear_system.hpp"

#include "base/arithmetic.hpp"

namespace crivo::foreign {

bool LinearSystem::add(Equation equation) {
  while (!equation.coefficients.is_zero()) {
    equation.row += equation.coefficients.align();
    if (equation.row >= rows_.size()) {
      rows_.resize(equation.row + 1);
      values_.resize(equation.row + 1);
    }
    Coefficients& own = rows_[equation.row];
    if (own.is_zero()) {
      own = equation.coefficients;
      values_[equation.row] = equation.value ? 1 : 0;
      return true;
    }
    equation.coefficients ^= own;
    equation.value ^= values_[equation.row] != 0;
  }
  return !equation.value;
}

void LinearSystem::solve(ColumnBits& bits, std::uint64_t seed) const {
  Coefficients window = bits.first();  // the values from the row on that was solved last
  for (std::uint64_t row = rows_.size(); row-- != 0;) {
    for (std::size_t i = Coefficients::kWords - 1; i != 0; --i)
      window.words[i] = window.words[i] << 1 | window.words[i - 1] >> 63;
    window.words[0] <<= 1;
    // The value of the row itself is still 0, so it becomes what the others lack.
    const unsigned bit = rows_[row].is_zero() ? static_cast<unsigned>(base::mix64(seed + row)) & 1
                                              : rows_[row].times(window) ^ values_[row];
    window.words[0] |= bit;
    bits.push_front(bit != 0);
  }
}

}  // namespace crivo::foreign
