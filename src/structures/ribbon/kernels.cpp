// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/kernels.hpp"

#include "base/bytes.hpp"
#include "structures/ribbon/kernels_avx2.hpp"
#include "structures/ribbon/kernels_avx512.hpp"
#include "structures/ribbon/parity.hpp"

#define CRIVO_TARGET  // any processor
#include "structures/ribbon/kernel_calls.hpp"

namespace crivo::ribbon {
namespace {

/// The lowest 0 to 64 bits.
std::uint64_t lowest(std::uint64_t value, unsigned width) noexcept {
  return width == 0 ? 0 : value & (~std::uint64_t{0} >> (64 - width));
}

struct BlocksOf64 {
  static constexpr Layout kLayout = Layout::blocks_of_64;
  static bool find(const Layers& layers, std::uint64_t hi, Row& row) noexcept {
    return layers.find_first<kLayout, true>(hi, layers.width().bits, row);
  }

  static std::uint64_t value(const Row& row) noexcept {
    const unsigned width = row.width;
    const std::byte* block = row.block;
    const std::byte* next = block + 8 * std::size_t{width};
    std::uint64_t value = 0;
    for (unsigned column = 0; column < width; column += 8, block += 64, next += 64) {
      std::uint64_t words[8];
      for (unsigned j = 0; j < 8; ++j) {
        words[j] = (base::load_le<std::uint64_t>(block + 8 * j) & row.here) ^
                   (base::load_le<std::uint64_t>(next + 8 * j) & row.beyond);
      }
      value |= parities(words) << column;
    }
    return lowest(value, width);  // the words past the last column are the next block's
  }
};

struct BlocksOf8 {
  static constexpr Layout kLayout = Layout::blocks_of_8;
  static bool find(const Layers& layers, std::uint64_t hi, Row& row) noexcept {
    return layers.find_first<kLayout, false>(hi, layers.width().bits, row);
  }

  static std::uint64_t value(const Row& row) noexcept {
    const unsigned width = row.width;
    constexpr std::uint64_t kEveryByte = 0x0101010101010101U;
    std::uint64_t taken[9];
    for (unsigned i = 0; i < 8; ++i) taken[i] = ((row.here >> (8 * i)) & 0xff) * kEveryByte;
    taken[8] = row.beyond * kEveryByte;
    std::uint64_t value = 0;
    for (unsigned column = 0; column < width; column += 8) {
      const std::byte* block = row.block + column;
      std::uint64_t sum = 0;
      for (unsigned i = 0; i < 9; ++i, block += width) {
        sum ^= base::load_le<std::uint64_t>(block) & taken[i];
      }
      value |= byte_parities(sum) << column;
    }
    return lowest(value, width);  // the bytes past the last column are the next block's
  }
};

}  // namespace

Kernel kernel(Layout layout, [[maybe_unused]] Width width,
              [[maybe_unused]] base::Cpu cpu) noexcept {
#if defined(__x86_64__)
  if (cpu == base::Cpu::avx512 && layout == Layout::blocks_of_64) return avx512_kernel(width);
  if (cpu >= base::Cpu::avx2) return avx2_kernel(layout, width);
#endif
  return layout == Layout::blocks_of_64 ? kKernel<BlocksOf64> : kKernel<BlocksOf8>;
}

}  // namespace crivo::ribbon

#undef CRIVO_TARGET
