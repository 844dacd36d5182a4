// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/kernels.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define CRIVO_TARGET  // any processor
#include "structures/ribbon/kernel_calls.hpp"

namespace crivo::ribbon {
namespace {

/// Eight columns at a time, of eight blocks.
template <bool kAnyNarrow>
struct PortableSum {
  static constexpr unsigned kWidth = 0;
  static constexpr bool kNarrow = kAnyNarrow;

  [[gnu::always_inline]] static inline std::uint64_t value(const Row& row) noexcept {
    const unsigned width = row.width;
    std::uint64_t value = 0;
    for (unsigned column = 0; column < width; column += 8) {
      const std::byte* block = row.block + column;
      std::uint64_t sum = 0;
      for (unsigned i = 0; i < kRowBlocks; ++i, block += width) {
        sum ^= base::load_le<std::uint64_t>(block) & in_every_byte(row.coefficients, i);
      }
      value |= byte_parities(sum) << column;
    }
    return lowest(value, width);  // the bytes past the last column are the next block's
  }
};

/// Values of 8 bits, whose blocks stand in words side by side.
struct PortableSumOf8 {
  static constexpr unsigned kWidth = 8;
  static constexpr bool kNarrow = false;

  [[gnu::always_inline]] static inline std::uint64_t value(const Row& row) noexcept {
#if defined(__SSE2__)
    // Each byte of the coefficients eight times, in two halves of a vector.
    const __m128i bytes = _mm_cvtsi64_si128(static_cast<long long>(row.coefficients));
    const __m128i twice = _mm_unpacklo_epi8(bytes, bytes);
    const __m128i first = _mm_unpacklo_epi16(twice, twice);
    const __m128i last = _mm_unpackhi_epi16(twice, twice);
    const auto taken = [&row](unsigned pair, __m128i of_each) {
      const auto* const at = reinterpret_cast<const __m128i*>(row.block + 16 * std::size_t{pair});
      return _mm_and_si128(_mm_loadu_si128(at), of_each);
    };
    const __m128i sums = _mm_xor_si128(_mm_xor_si128(taken(0, _mm_unpacklo_epi32(first, first)),
                                                     taken(1, _mm_unpackhi_epi32(first, first))),
                                       _mm_xor_si128(taken(2, _mm_unpacklo_epi32(last, last)),
                                                     taken(3, _mm_unpackhi_epi32(last, last))));
    const __m128i sum = _mm_xor_si128(sums, _mm_unpackhi_epi64(sums, sums));
    return byte_parities(static_cast<std::uint64_t>(_mm_cvtsi128_si64(sum)));
#else
    return PortableSum<false>::value(row);
#endif
  }
};

/// Long rows, whose values have one bit.
struct SumOfLong {
  static constexpr unsigned kWidth = 1;
  static constexpr bool kNarrow = false;

  [[gnu::always_inline]] static inline std::uint64_t value(const LongRow& row) noexcept {
    const std::uint64_t first = base::load_le<std::uint64_t>(row.block) & row.coefficients.first;
    const std::uint64_t last = base::load_le<std::uint64_t>(row.block + 8) & row.coefficients.last;
    return static_cast<std::uint64_t>(__builtin_parityll(first ^ last));
  }
};

struct LongLookups : Lookups<SumOfLong, LongLayers> {
  static std::uint8_t bit(const void* of, std::uint64_t hi) noexcept {
    LongRow row;
    if (!find(*static_cast<const LongLayers*>(of), hi, hi, row)) [[unlikely]]
      return kWholeHash;
    return static_cast<std::uint8_t>(sum<SumOfLong>(row));
  }

  static void bits(const void* of, std::span<const Hash128> hashes, std::uint8_t* bits) noexcept {
    const auto& layers = *static_cast<const LongLayers*>(of);
    std::array<LongRow, kBatch> rows;
    for (std::size_t begin = 0; begin < hashes.size(); begin += kBatch) {
      const std::size_t size = std::min(kBatch, hashes.size() - begin);
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t hi = hashes[begin + i].hi;
        bits[begin + i] = find(layers, hi, hi, rows[i]) ? 0 : kWholeHash;
        prefetch(rows[i].block, bytes_of(rows[i]));
      }
      for (std::size_t i = 0; i < size; ++i)
        bits[begin + i] |= static_cast<std::uint8_t>(sum<SumOfLong>(rows[i]));
    }
  }

  static constexpr Kernel kKernel{value, values, nullptr, nullptr, nullptr, bit, bits};
};

}  // namespace

Kernel kernel(Form form, Width width, [[maybe_unused]] base::Cpu cpu) noexcept {
  if (form == Form::long_layers) return LongLookups::kKernel;  // but a few instructions on any
#if defined(__x86_64__)
  if (cpu >= base::Cpu::avx2) return avx2_kernel(form, width);
#endif
  if (width.narrow != 0) return kernel_of<PortableSum<true>>(form);
  if (width.bits == 8) return kernel_of<PortableSumOf8>(form);
  return kernel_of<PortableSum<false>>(form);
}

}  // namespace crivo::ribbon

#undef CRIVO_TARGET
