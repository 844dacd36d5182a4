#include "structures/ribbon/kernels.hpp"

#include "base/bytes.hpp"
#include "structures/retrieval/fingerprint.hpp"
#include "structures/ribbon/kernels_avx2.hpp"
#include "structures/ribbon/kernels_avx512.hpp"
#include "structures/ribbon/parity.hpp"

namespace crivo::ribbon {
namespace {

std::uint64_t lowest(std::uint64_t value, unsigned width) noexcept {
  return value & (~std::uint64_t{0} >> (64 - width));
}

struct BlocksOf64 {
  static constexpr Layout kLayout = Layout::blocks_of_64;
  static unsigned width(const Layers& layers) noexcept { return layers.width(); }

  static std::uint64_t value(const Row& row, unsigned width) noexcept {
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
  static unsigned width(const Layers& layers) noexcept { return layers.width(); }

  static std::uint64_t value(const Row& row, unsigned width) noexcept {
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

/// A key that the first layer does not hold. Apart from the others, which so need no stack.
template <typename Blocks>
[[gnu::noinline]] std::uint64_t bumped_value(const Layers& layers, std::uint64_t hi,
                                             std::uint64_t lo) noexcept {
  return Blocks::value(layers.find_bumped<Blocks::kLayout>({hi, lo}), layers.width());
}

template <typename Blocks>
[[gnu::noinline]] bool bumped_contains(const Layers& layers, std::uint64_t hi,
                                       std::uint64_t lo) noexcept {
  return bumped_value<Blocks>(layers, hi, lo) == retrieval::fingerprint({hi, lo}, layers.width());
}

template <typename Blocks>
std::uint64_t value(const Layers& layers, std::uint64_t hi, std::uint64_t lo) noexcept {
  const unsigned width = Blocks::width(layers);
  Row row;
  if (!layers.find_first<Blocks::kLayout>(hi, lo, width, row)) [[unlikely]]
    return bumped_value<Blocks>(layers, hi, lo);
  return Blocks::value(row, width);
}

template <typename Blocks>
bool contains(const Layers& layers, std::uint64_t hi, std::uint64_t lo) noexcept {
  const unsigned width = Blocks::width(layers);
  Row row;
  if (!layers.find_first<Blocks::kLayout>(hi, lo, width, row)) [[unlikely]]
    return bumped_contains<Blocks>(layers, hi, lo);
  return Blocks::value(row, width) == retrieval::fingerprint({hi, lo}, width);
}

template <typename Blocks>
void values(std::span<const Row> rows, unsigned width, std::uint64_t* values) noexcept {
  for (const Row& row : rows) *values++ = Blocks::value(row, width);
}

template <typename Blocks>
constexpr Kernel kKernel{value<Blocks>, contains<Blocks>, values<Blocks>};

}  // namespace

Kernel kernel(Layout layout, [[maybe_unused]] unsigned width,
              [[maybe_unused]] base::Cpu cpu) noexcept {
#if defined(__x86_64__)
  if (cpu == base::Cpu::avx512 && layout == Layout::blocks_of_64) return avx512_kernel(width);
  if (cpu >= base::Cpu::avx2) return avx2_kernel(layout, width);
#endif
  return layout == Layout::blocks_of_64 ? kKernel<BlocksOf64> : kKernel<BlocksOf8>;
}

}  // namespace crivo::ribbon
