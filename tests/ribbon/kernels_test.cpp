// SPDX-License-Identifier: Apache-2.0
// The lookup kernels of every processor, against the definition bit by bit.
#include "structures/ribbon/kernels.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "crivo/detail/fingerprint.hpp"
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

/// The bit `column` of slot `slot` of the blocks at `blocks`.
unsigned bit(const base::Bytes& blocks, Layout layout, unsigned width, std::size_t slot,
             unsigned column) {
  const unsigned in_block = block_slots(layout);
  const std::size_t at = (slot / in_block * width + column) * in_block + slot % in_block;
  return std::to_integer<unsigned>(blocks[at / 8] >> (at % 8)) & 1U;
}

TEST(Kernel, SumsTheSlotsOfARow) {
  std::mt19937_64 random(5);
  for (const Layout layout : test::kLayouts) {
    for (unsigned width = 1; width <= 64; ++width) {
      // A row's blocks and no more than may be read behind them, where a sanitizer sees the end.
      base::Bytes blocks(8 * width + end_padding(layout, width));
      std::vector<Row> rows;
      std::vector<std::uint64_t> expected;
      for (std::byte& byte : blocks) byte = static_cast<std::byte>(random());
      for (unsigned offset = 0; offset < block_slots(layout); ++offset) {
        const std::uint64_t coefficients = random() | 1;
        rows.push_back(
            {blocks.data(), coefficients << offset, (coefficients >> 1) >> (63 - offset), width});
        std::uint64_t value = 0;
        for (unsigned column = 0; column < width; ++column) {
          for (unsigned t = 0; t < 64; ++t) {
            if ((coefficients >> t & 1) != 0) {
              value ^= std::uint64_t{bit(blocks, layout, width, offset + t, column)} << column;
            }
          }
        }
        expected.push_back(value);
      }
      for (const base::Cpu cpu : cpus()) {
        std::vector<std::uint64_t> values(rows.size());
        kernel(layout, width, cpu).values(rows, values.data());
        ASSERT_EQ(values, expected) << "width " << width << ", cpu " << static_cast<int>(cpu);
      }
    }
  }
}

TEST(Kernel, RowsOfTwoWidthsAreSummedAsTheyAre) {
  std::mt19937_64 random(6);
  for (unsigned width = 1; width <= 32; ++width) {
    base::Bytes blocks(8 * width + end_padding(Layout::blocks_of_64, width));
    for (std::byte& byte : blocks) byte = static_cast<std::byte>(random());
    const Row row{blocks.data(), random() | 1, random() >> 7, width - 1};
    const Width two_widths(width, 1U << 31);
    std::uint64_t expected = 0;
    kernel(Layout::blocks_of_64, two_widths, base::Cpu::portable).values({&row, 1}, &expected);
    EXPECT_EQ(expected >> (width - 1), 0U);
    for (const base::Cpu cpu : cpus()) {
      std::uint64_t value = 0;
      kernel(Layout::blocks_of_64, two_widths, cpu).values({&row, 1}, &value);
      ASSERT_EQ(value, expected) << "width " << width << ", cpu " << static_cast<int>(cpu);
    }
  }
}

TEST(Kernel, FindsKeysInEveryLayer) {
  const auto keys = test::random_hashes(21'000);
  const auto hashes = stream::SortedHashes::from_unsorted(keys);
  const auto sorted = hashes.partition(0, 0);
  for (const Layout layout : test::kLayouts) {
    for (unsigned width = 1; width <= 64; width += width % 8 == 0 ? 1 : 7 - width % 8 / 7 * 6) {
      const base::Bytes section = test::build_ribbon(hashes, width, 1, layout);
      const Layers layers(decode_header(section, layout), section);
      for (const base::Cpu cpu : cpus()) {
        const Kernel tried = kernel(layout, width, cpu);
        const auto answers = std::make_unique<bool[]>(sorted.size());
        if (width <= 32) tried.contains_all(layers, sorted, answers.get());
        for (std::size_t i = 0; i < sorted.size(); ++i) {
          const Hash128 known = layout == Layout::blocks_of_64 ? of_filter(sorted[i]) : sorted[i];
          const std::uint64_t value = tried.value(&layers, known.hi, known.lo);
          ASSERT_EQ(value, test::test_value(i, width)) << "width " << width;
          if (width > 32 || layout == Layout::blocks_of_8) continue;
          const bool expected =
              ((value ^ detail::fingerprint(known.hi)) & (~std::uint64_t{0} >> (64 - width))) == 0;
          ASSERT_EQ(tried.contains(&layers, known.hi, 0), expected);
          ASSERT_EQ(answers[i], expected);
        }
      }
    }
  }
}

}  // namespace
}  // namespace crivo::ribbon
