// SPDX-License-Identifier: Apache-2.0
// Linear systems of clubcards: every equation that was taken holds, in one column and in many.
#include "foreign/build/linear_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace crivo::foreign {
namespace {

Equation drawn(std::mt19937_64& random, std::uint64_t rows) {
  Equation equation;
  for (std::uint64_t& word : equation.coefficients.words) word = random();
  equation.coefficients.words[0] |= 1;
  equation.row = random() % rows;
  equation.value = (random() & 1) != 0;
  return equation;
}

bool holds(const Equation& equation, const std::vector<std::uint64_t>& words,
           std::uint64_t offset) {
  return equation.coefficients.times(bits_from(words, offset + equation.row)) ==
         static_cast<unsigned>(equation.value);
}

TEST(LinearSystem, SolvesWhatItTook) {
  std::mt19937_64 random(1);
  for (const std::uint64_t rows : {1U, 2U, 63U, 64U, 65U, 300U, 5000U}) {
    // From too few equations to more than there are rows: those that contradict are told.
    for (const std::uint64_t equations : {rows / 2, rows - rows / 50, rows, rows + 400}) {
      LinearSystem system(rows);
      std::vector<Equation> taken;
      for (std::uint64_t i = 0; i < equations; ++i) {
        const Equation equation = drawn(random, rows);
        if (system.add(equation)) taken.push_back(equation);
      }
      EXPECT_GE(taken.size(), std::min(equations, rows - rows / 10));
      EXPECT_LT(system.rows(), rows + Coefficients::kBits);
      Matrix matrix(rows + Coefficients::kBits);
      const std::uint64_t begin = matrix.push_front(system, 1, 7);
      const std::vector<std::uint64_t> words = matrix.words(0);
      EXPECT_TRUE(std::ranges::all_of(
          taken, [&](const Equation& each) { return holds(each, words, matrix.offset(begin)); }));
    }
  }
}

TEST(LinearSystem, TellsAContradiction) {
  std::mt19937_64 random(2);
  LinearSystem system(10);
  Equation equation = drawn(random, 10);
  EXPECT_TRUE(system.add(equation));
  EXPECT_TRUE(system.add(equation));  // says the same again
  equation.value = !equation.value;
  EXPECT_FALSE(system.add(equation));
}

TEST(Matrix, HoldsSystemsOfFewerAndMoreColumns) {
  std::mt19937_64 random(3);
  struct Block {
    std::vector<Equation> equations;
    unsigned columns;
    std::uint64_t begin = 0;
  };
  std::vector<Block> blocks;
  std::uint64_t rows = 0;
  for (unsigned columns = 1; columns < 9; ++columns) {
    Block& block = blocks.emplace_back();
    block.columns = columns;
    const std::uint64_t own = 1 + random() % 400;
    for (std::uint64_t i = 0; i < own - own / 50; ++i) {
      block.equations.push_back(drawn(random, own));
      block.equations.back().value = false;  // of all columns alike
    }
    rows += own + Coefficients::kBits;
  }
  Matrix matrix(rows);
  for (Block& block : blocks) {
    LinearSystem system(1);
    for (const Equation& equation : block.equations) system.add(equation);
    block.begin = matrix.push_front(system, block.columns, 5);
  }
  ASSERT_EQ(matrix.columns(), 8U);
  for (const Block& block : blocks) {
    for (unsigned column = 0; column < block.columns; ++column) {
      const std::vector<std::uint64_t> words = matrix.words(column);
      for (const Equation& each : block.equations)
        EXPECT_TRUE(holds(each, words, matrix.offset(block.begin)));
    }
  }
  // Columns differ, and reach as far as the last system that has them.
  EXPECT_NE(matrix.words(0), matrix.words(1));
  EXPECT_GT(matrix.words(0).size(), matrix.words(7).size());
}

}  // namespace
}  // namespace crivo::foreign
