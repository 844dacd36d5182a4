// SPDX-License-Identifier: Apache-2.0
// The lookup kernels of every processor, against the definition bit by bit.
#include "structures/ribbon/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "structures/ribbon/layers.hpp"
#include "structures/ribbon/small_set.hpp"
#include "support/hashes.hpp"
#include "support/ribbons.hpp"

namespace crivo::ribbon {
namespace {

/// The kernels that this process may run.
std::vector<base::Cpu> cpus() {
  std::vector<base::Cpu> cpus;
  for (const base::Cpu cpu : {base::Cpu::portable, base::Cpu::avx2, base::Cpu::avx512}) {
    if (cpu <= base::cpu()) cpus.push_back(cpu);
  }
  return cpus;
}

/// The value of a row, slot by slot.
std::uint64_t sum_of(const Row& row) {
  std::uint64_t value = 0;
  const std::byte* block = row.block;
  for (unsigned i = 0; i < kRowBlocks; ++i) {
    for (unsigned column = 0; column < row.width; ++column) {
      for (unsigned slot = 0; slot < kBlockSlots; ++slot) {
        const bool taken = (row.coefficients >> (kBlockSlots * i + slot) & 1) != 0;
        const unsigned bit = std::to_integer<unsigned>(block[column]) >> slot & 1U;
        if (taken) value ^= std::uint64_t{bit} << column;
      }
    }
    block += row.width + (i < row.even ? 0 : 1);
  }
  return value;
}

TEST(Kernel, SumsTheSlotsOfARow) {
  std::mt19937_64 random(5);
  for (unsigned width = 1; width <= 64; ++width) {
    // A row's blocks and no more than may be read behind them, where a sanitizer sees the end.
    base::Bytes blocks(std::size_t{kRowBlocks} * width + kEndPadding);
    for (std::byte& byte : blocks) byte = static_cast<std::byte>(random());
    for (int round = 0; round < 20; ++round) {
      const Row row{blocks.data(), random(), width, kRowBlocks};
      const std::uint64_t expected = sum_of(row);
      for (const base::Cpu cpu : cpus()) {
        const Kernel tried = kernel(Form::layers, width, cpu);
        std::uint64_t value = ~expected;
        tried.row_values(std::span(&row, 1), &value);
        ASSERT_EQ(value, expected) << "width " << width << ", cpu " << static_cast<int>(cpu);
      }
    }
  }
}

TEST(Kernel, RowsAcrossBlocksOfTwoWidthsAreSummedAsTheyAre) {
  std::mt19937_64 random(6);
  for (unsigned width = 1; width <= 32; ++width) {
    base::Bytes blocks(std::size_t{kRowBlocks} * width + kEndPadding);
    for (std::byte& byte : blocks) byte = static_cast<std::byte>(random());
    for (unsigned even = 0; even <= kRowBlocks; ++even) {
      const unsigned columns = even == 0 ? width : width - 1;  // 0: none of the blocks is narrow
      const Row row{blocks.data(), random(), columns, even == 0 ? kRowBlocks : even};
      const std::uint64_t expected = sum_of(row);
      for (const base::Cpu cpu : cpus()) {
        const Width two_widths(width, 1U << 31);
        const Kernel tried = kernel(Form::layers, two_widths, cpu);
        std::uint64_t value = ~expected;
        tried.row_values(std::span(&row, 1), &value);
        ASSERT_EQ(value, expected)
            << "width " << width << ", cpu " << static_cast<int>(cpu) << ", " << even << " even";
      }
    }
  }
}

/// The first half of a hash tells the bit, unless it is one of the few that take the whole.
template <typename Rows>
void expect_bit(const Kernel& tried, const Rows& rows, const Hash128& hash, std::uint64_t value) {
  const std::uint8_t bit = tried.bit(&rows, hash.hi);
  std::uint8_t of_many = 0;
  tried.bits(&rows, std::span(&hash, 1), &of_many);
  ASSERT_EQ(std::min(of_many, kWholeHash), bit);
  ASSERT_TRUE(bit == value || bit == kWholeHash);
}

/// Every kernel gives the keys of a section, and others, the same answers; and the keys their
/// values.
template <typename Rows>
void expect_equal_answers(Form form, HashPart part, Width width,
                          const stream::SortedHashes& hashes) {
  const auto built_over = hashes.partition(0, 0);
  std::vector<Hash128> sorted(built_over.begin(), built_over.end());
  if (part == HashPart::first_half) std::ranges::transform(sorted, sorted.begin(), of_filter);
  const base::Bytes section = test::build_ribbon(hashes, width, 1, part);
  const Rows rows(decode_header(base::ByteView{section}, part), base::ByteView{section});
  for (const base::Cpu cpu : cpus()) {
    const Kernel tried = kernel(form, width, cpu);
    std::vector<std::uint64_t> values(sorted.size());
    tried.values(&rows, sorted, values.data());
    const auto answers = std::make_unique<bool[]>(sorted.size());
    if (width.bits <= 32 && tried.contains_all != nullptr)
      tried.contains_all(&rows, sorted, answers.get());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const std::uint64_t value = tried.value(&rows, sorted[i].hi, sorted[i].lo);
      const std::uint64_t built = test::test_value(i, width.bits);
      ASSERT_TRUE(value == built || (width.narrow != 0 &&
                                     value == (built & (~std::uint64_t{0} >> (65 - width.bits)))))
          << "width " << width.bits;
      ASSERT_EQ(values[i], value);
      if (tried.bit != nullptr) expect_bit(tried, rows, sorted[i], value);
      if (width.bits > 32 || width.narrow != 0 || part == HashPart::whole) continue;
      const bool expected = is_fingerprint(value, sorted[i].hi, width.bits);
      ASSERT_EQ(tried.contains(&rows, sorted[i].hi, 0), expected);
      ASSERT_EQ(answers[i], expected);
    }
  }
}

TEST(Kernel, FindsKeysInEveryForm) {
  const auto small = stream::SortedHashes::from_unsorted(test::random_hashes(1'500));
  const auto layered = stream::SortedHashes::from_unsorted(test::random_hashes(5'000));
  for (const HashPart part : test::kParts) {
    for (unsigned width = 1; width <= 64; width += width % 8 == 0 ? 1 : 7 - width % 8 / 7 * 6) {
      for (const std::uint32_t narrow : {0U, 1U << 30}) {
        if (narrow != 0 && (width < 2 || width > 32 || part == HashPart::whole)) continue;
        if (part == HashPart::whole && width == 1) {
          expect_equal_answers<LongLayers>(Form::long_layers, part, width, layered);
        } else {
          expect_equal_answers<Layers>(Form::layers, part, {width, narrow}, layered);
        }
        expect_equal_answers<SmallSet>(Form::small_set, part, {width, narrow}, small);
      }
    }
  }
}

}  // namespace
}  // namespace crivo::ribbon
