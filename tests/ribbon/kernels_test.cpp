// The lookup kernels of every processor, against the definition bit by bit.
#include "structures/ribbon/kernels.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "structures/retrieval/fingerprint.hpp"
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
            {blocks.data(), coefficients << offset, (coefficients >> 1) >> (63 - offset)});
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
        kernel(layout, width, cpu).values(rows, width, values.data());
        ASSERT_EQ(values, expected) << "width " << width << ", cpu " << static_cast<int>(cpu);
      }
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
        for (std::size_t i = 0; i < sorted.size(); ++i) {
          const std::uint64_t value = tried.value(layers, sorted[i].hi, sorted[i].lo);
          ASSERT_EQ(value, test::test_value(i, width)) << "width " << width;
          if (width > 32) continue;
          ASSERT_EQ(tried.contains(layers, sorted[i].hi, sorted[i].lo),
                    value == retrieval::fingerprint(sorted[i], width));
        }
      }
    }
  }
}

}  // namespace
}  // namespace crivo::ribbon
