#include "structures/ribbon/kernels.hpp"

#include <algorithm>
#include <array>

#include "base/bytes.hpp"
#include "structures/ribbon/kernels_avx2.hpp"
#include "structures/ribbon/kernels_avx512.hpp"
#include "structures/ribbon/parity.hpp"

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

/// A key that the first layer does not hold. Apart from the others, which so need no stack.
template <typename Blocks>
[[gnu::noinline]] std::uint64_t bumped_value(const Layers& layers, std::uint64_t hi,
                                             std::uint64_t lo) noexcept {
  const Row row = layers.find_bumped<Blocks::kLayout>({hi, lo});
  return Blocks::value(row);
}

template <typename Blocks>
[[gnu::noinline]] bool bumped_contains(const Layers& layers, std::uint64_t hi) noexcept {
  const Row row = layers.find_bumped<Blocks::kLayout>(of_filter({hi, 0}));
  return is_fingerprint(Blocks::value(row), hi, row.width);
}

template <typename Blocks>
std::uint64_t value(const void* of, std::uint64_t hi, std::uint64_t lo) noexcept {
  const auto& layers = *static_cast<const Layers*>(of);
  Row row;
  if (!Blocks::find(layers, hi, row)) [[unlikely]]
    return bumped_value<Blocks>(layers, hi, lo);
  return Blocks::value(row);
}

template <typename Blocks>
bool contains(const void* of, std::uint64_t hi, std::uint64_t) noexcept {
  const auto& layers = *static_cast<const Layers*>(of);
  Row row;
  if (!Blocks::find(layers, hi, row)) [[unlikely]]
    return bumped_contains<Blocks>(layers, hi);
  return is_fingerprint(Blocks::value(row), hi, row.width);
}

template <typename Blocks>
void contains_all(const Layers& layers, std::span<const Hash128> hashes, bool* answers) noexcept {
  std::array<Row, kBatch> rows;
  for (std::size_t begin = 0; begin < hashes.size(); begin += kBatch) {
    const auto some = hashes.subspan(begin, std::min(kBatch, hashes.size() - begin));
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (!Blocks::find(layers, some[i].hi, rows[i])) [[unlikely]]
        rows[i] = layers.find_bumped<Blocks::kLayout>(of_filter(some[i]));
      prefetch<Blocks::kLayout>(rows[i]);
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      *answers++ = is_fingerprint(Blocks::value(rows[i]), some[i].hi, rows[i].width);
    }
  }
}

template <typename Blocks>
void values(std::span<const Row> rows, std::uint64_t* values) noexcept {
  for (const Row& row : rows) *values++ = Blocks::value(row);
}

template <typename Blocks>
constexpr Kernel kKernel{value<Blocks>, contains<Blocks>, contains_all<Blocks>, values<Blocks>};

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
