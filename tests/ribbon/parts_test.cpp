// SPDX-License-Identifier: Apache-2.0
// The arithmetic below the static function: parities, transposition, elimination, sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include "structures/ribbon/build/band.hpp"
#include "structures/ribbon/build/columns.hpp"
#include "structures/ribbon/kernels.hpp"
#include "structures/ribbon/rows.hpp"
#include "support/ribbons.hpp"

namespace crivo::ribbon {
namespace {

TEST(Parities, AreThoseOfEachWord) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 1000; ++round) {
    std::uint64_t words[8];
    std::uint64_t expected = 0;
    for (unsigned j = 0; j < 8; ++j) {
      words[j] = random();
      if (round % 3 == 1) words[j] &= random() & random() & random();
      expected |= static_cast<std::uint64_t>(std::popcount(words[j]) & 1) << j;
    }
    ASSERT_EQ(parities(words), expected);
  }
}

TEST(Parities, SeeEverySingleBit) {
  for (unsigned j = 0; j < 8; ++j) {
    for (unsigned bit = 0; bit < 64; ++bit) {
      std::uint64_t words[8] = {};
      words[j] = std::uint64_t{1} << bit;
      ASSERT_EQ(parities(words), std::uint64_t{1} << j);
    }
  }
}

TEST(ByteParities, AreThoseOfEachByte) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t bytes = random();
    std::uint64_t expected = 0;
    for (unsigned j = 0; j < 8; ++j) {
      expected |= static_cast<std::uint64_t>(std::popcount((bytes >> (8 * j)) & 0xff) & 1) << j;
    }
    ASSERT_EQ(byte_parities(bytes), expected);
  }
}

TEST(Transpose, SwapsRowsAndColumns) {
  for (unsigned row = 0; row < 8; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      EXPECT_EQ(transpose8(std::uint64_t{1} << (8 * row + column)),
                std::uint64_t{1} << (8 * column + row));
    }
  }
}

template <typename Value>
void expect_interleaved(unsigned width) {
  std::mt19937_64 random(width);
  std::vector<Value> values(192);
  for (Value& value : values)
    value = static_cast<Value>(random() & (~std::uint64_t{0} >> (64 - width)));
  base::Bytes out(3);  // what is there stays
  interleave(values.data(), values.size(), width, 0, out);
  ASSERT_EQ(out.size(), 3 + 192 / 8 * width);
  for (std::size_t slot = 0; slot < values.size(); ++slot) {
    for (unsigned j = 0; j < width; ++j) {
      const auto byte = std::to_integer<unsigned>(out[3 + slot / 8 * width + j]);
      ASSERT_EQ((byte >> (slot % 8)) & 1, (std::uint64_t{values[slot]} >> j) & 1);
    }
  }
}

TEST(Interleave, LeavesTheLastColumnOfNarrowBlocksOut) {
  std::mt19937_64 random(3);
  std::vector<std::uint16_t> values(4 * 8);
  for (std::uint16_t& value : values) value = static_cast<std::uint16_t>(random() & 0x3ff);
  base::Bytes whole;
  interleave(values.data(), values.size(), 10, 0, whole);
  for (const std::uint64_t narrow : {1U, 3U, 4U}) {
    base::Bytes expected;
    for (std::uint64_t block = 0; block < 4; ++block) {
      const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(10 * block);
      expected.insert(expected.end(), begin, begin + (block < narrow ? 9 : 10));
    }
    base::Bytes out;
    interleave(values.data(), values.size(), 10, narrow, out);
    EXPECT_EQ(out, expected);
  }
}

TEST(Interleave, PutsBitJOfABlockInItsColumnJ) {
  for (const unsigned width : {1U, 7U, 8U}) expect_interleaved<std::uint8_t>(width);
  for (const unsigned width : {9U, 16U}) expect_interleaved<std::uint16_t>(width);
  for (const unsigned width : {17U, 32U}) expect_interleaved<std::uint32_t>(width);
  for (const unsigned width : {33U, 64U}) expect_interleaved<std::uint64_t>(width);
}

template <typename Coefficients>
struct Equation {
  std::uint64_t slot;
  Coefficients row;
  std::uint16_t value;
};

/// Random equations over `slots` slots; after solve() each accepted one must hold.
template <typename Coefficients>
void expect_solved(std::uint64_t slots, std::size_t count, std::uint64_t seed) {
  constexpr unsigned kBits = 8 * sizeof(Coefficients);
  std::mt19937_64 random(seed);
  Band<Coefficients, std::uint16_t> band(slots);
  std::vector<Equation<Coefficients>> accepted;
  for (std::size_t i = 0; i < count; ++i) {
    Equation<Coefficients> equation{random() % slots, static_cast<Coefficients>(random()),
                                    static_cast<std::uint16_t>(random())};
    if constexpr (kBits == 128) equation.row = equation.row << 64 | random();
    equation.row |= 1;
    for (unsigned bit = 0; bit < kBits; ++bit) {
      if (equation.slot + bit >= slots) equation.row &= ~(Coefficients{1} << bit);
    }
    if (band.insert(equation.slot, equation.row, equation.value)) accepted.push_back(equation);
  }
  EXPECT_GE(accepted.size(), (count + 1) / 2);
  band.solve();
  for (const auto& equation : accepted) {
    std::uint16_t sum = 0;
    for (unsigned bit = 0; bit < kBits; ++bit) {
      if (((equation.row >> bit) & 1) != 0) sum ^= band.values()[equation.slot + bit];
    }
    ASSERT_EQ(sum, equation.value) << slots << " slots";
  }
}

TEST(Band, SolutionSatisfiesEveryAcceptedEquation) {
  for (const std::uint64_t slots : {1U, 2U, 7U, 8U, 9U, 63U, 64U, 65U, 127U, 128U, 129U, 1000U}) {
    expect_solved<std::uint64_t>(slots, slots, slots);
    expect_solved<Uint128>(slots, slots, slots);
  }
}

template <typename Value>
void expect_equal_solutions(unsigned width, const LayerForm& form) {
  std::mt19937_64 random(width);
  Band<std::uint64_t, Value> band(form.slots);
  for (std::uint64_t slot = 0; slot < form.slots; ++slot) {
    if (random() % 8 == 0) continue;  // without a row
    const std::uint64_t reach = std::min<std::uint64_t>(64, form.slots - slot);
    band.coefficients()[slot] = (random() >> (64 - reach)) | 1;
    band.values()[slot] = static_cast<Value>(random() >> (64 - width));
  }
  auto portable = band;
  base::Bytes expected(5);  // what is there stays
  append_solution(portable, form, base::Cpu::portable, expected);
  ASSERT_EQ(expected.size(), 5 + form.bytes());
  for (const base::Cpu cpu : {base::Cpu::avx2, base::Cpu::avx512}) {
    if (cpu > base::cpu()) continue;
    auto tried = band;
    base::Bytes out(5);
    append_solution(tried, form, cpu, out);
    ASSERT_EQ(out, expected) << "width " << width << ", cpu " << static_cast<int>(cpu);
  }
}

TEST(Columns, HaveTheSameBytesWhateverTheProcessor) {
  for (unsigned width = 1; width <= 64; ++width) {
    for (const std::uint64_t narrow : {0U, 1U, 3U, 40U}) {
      const LayerForm form{width, 5 * 64, narrow};
      expect_equal_solutions<std::uint64_t>(width, form);
      if (width <= 32) expect_equal_solutions<std::uint32_t>(width, form);
      if (width <= 16) expect_equal_solutions<std::uint16_t>(width, form);
      if (width <= 8) expect_equal_solutions<std::uint8_t>(width, form);
    }
  }
}

TEST(Band, AcceptsARepeatedEquationAndRefusesItsContradiction) {
  Band<std::uint64_t, std::uint8_t> band(64);
  EXPECT_TRUE(band.insert(0, 0b1011, 5));
  EXPECT_TRUE(band.insert(0, 0b0011, 1));
  EXPECT_TRUE(band.insert(3, 0b1, 4));  // the sum of the two
  EXPECT_FALSE(band.insert(3, 0b1, 6));
}

TEST(Sizes, PartitionsHoldAtMost92681KeysInTheMean) {
  EXPECT_EQ(kUsualRows.partition_bits(0), 0U);
  EXPECT_EQ(kUsualRows.partition_bits(92'681), 0U);
  EXPECT_EQ(kUsualRows.partition_bits(92'682), 1U);
  EXPECT_EQ(kUsualRows.partition_bits(1'000'000), 4U);
  EXPECT_EQ(kUsualRows.partition_bits(10'000'000), 7U);
  EXPECT_EQ(kUsualRows.partition_bits(UINT64_MAX), 32U);
}

TEST(Sizes, NarrowBlocksAreNoMoreThanTheirPartOfTheStarts) {
  EXPECT_EQ(Width(8).narrow_blocks(1'000'000), 0U);
  EXPECT_EQ(Width(8, UINT32_MAX).narrow_blocks(1), 0U);
  EXPECT_EQ(Width(8, UINT32_MAX).narrow_blocks(2), 1U);
  EXPECT_EQ(Width(8, 1U << 31).narrow_blocks(1001), 500U);
  EXPECT_EQ(Width(8, 1U << 31).narrow_blocks(std::uint64_t{1} << 38), std::uint64_t{1} << 37);
  EXPECT_DOUBLE_EQ(rate_of(5000, Width(8)), 1.0 / 256);
  EXPECT_DOUBLE_EQ(rate_of(5000, Width(8, 3U << 30)), 1.75 / 256);
  EXPECT_DOUBLE_EQ(rate_of(65, Width(8, 3U << 30)), 1.5 / 256);  // one of two starts
  EXPECT_EQ(rate_of(0, Width(8)), 0);
}

TEST(Sizes, SmallSetsSpareTwoSlotsAndAFortiethInWholeBlocks) {
  EXPECT_EQ(small_slots(0), 0U);
  EXPECT_EQ(small_slots(1), 8U);
  EXPECT_EQ(small_slots(6), 8U);
  EXPECT_EQ(small_slots(7), 16U);
  EXPECT_EQ(small_slots(1000), 1032U);
  EXPECT_EQ(small_slots(4095), 4200U);
}

TEST(Sizes, LayersHaveAStartABlockButForTheLastSeven) {
  EXPECT_EQ(small_starts(0), 0U);
  EXPECT_EQ(small_starts(8), 1U);
  EXPECT_EQ(small_starts(64), 1U);
  EXPECT_EQ(small_starts(72), 2U);
  EXPECT_EQ(kUsualRows.layer_starts(72), 2U);
  EXPECT_EQ(kUsualRows.bumping_slots(0), 64U);
  EXPECT_EQ(kUsualRows.bumping_slots(1000), 936U);
  EXPECT_EQ(kLongRows.layer_starts(136), 2U);
  EXPECT_EQ(kLongRows.bumping_slots(0), 128U);
  EXPECT_EQ(kLongRows.bumping_slots(10'000), 9'688U);
}

TEST(NextLayer, SeparatesHashesThatAgreeInOneHalf) {
  const Hash128 hash = next_layer({1, 2});
  EXPECT_NE(hash.hi, next_layer({1, 3}).hi);
  EXPECT_NE(hash.lo, next_layer({1, 3}).lo);
  EXPECT_NE(hash.hi, next_layer({2, 2}).hi);
  EXPECT_NE(hash.lo, next_layer({2, 2}).lo);
}

}  // namespace
}  // namespace crivo::ribbon
