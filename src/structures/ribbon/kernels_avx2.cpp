// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include "structures/ribbon/kernels_avx2.hpp"

#include <immintrin.h>

#include <bit>

/// Each function that uses more than the baseline says so for itself, as in phast/batch_avx2.cpp.
#define CRIVO_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))
#include "structures/ribbon/kernel_calls.hpp"

namespace crivo::ribbon::kernels_avx2 {
namespace {

CRIVO_TARGET inline __m256i load(const std::byte* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}
CRIVO_TARGET inline __m256i all_lanes(std::uint64_t value) {
  return _mm256_set1_epi64x(static_cast<long long>(value));
}

/// The constants of the kernels, which the compiler would otherwise put together for each lookup.
struct Constants {
  alignas(32) std::uint8_t odd[32] = {};  // bit 7: the parity of the low half of the index
  alignas(32) std::uint8_t low_half[32] = {};
  alignas(32) std::uint8_t spread[8][32] = {};  // the number of the row in each byte

  constexpr Constants() {
    for (unsigned i = 0; i < 32; ++i) {
      odd[i] = static_cast<std::uint8_t>(std::popcount(i % 16) % 2 * 0x80);
      low_half[i] = 0x0f;
      for (unsigned j = 0; j < 8; ++j) spread[j][i] = static_cast<std::uint8_t>(j);
    }
  }
};
constexpr Constants kConstants;

/// What the compiler cannot see through: it would make some of these anew in each call, which takes
/// more than to load them.
CRIVO_TARGET inline const Constants& constants() {
  const Constants* constants = &kConstants;
  asm("" : "+r"(constants));
  return *constants;
}
CRIVO_TARGET inline __m256i constant(const std::uint8_t (&bytes)[32]) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(bytes));
}

/// The parity of each byte, in its bit 7: that of the sum of its halves, looked up.
CRIVO_TARGET inline __m256i byte_parities(__m256i bytes) {
  const __m256i sums = _mm256_xor_si256(bytes, _mm256_srli_epi32(bytes, 4));
  return _mm256_shuffle_epi8(constant(constants().odd),
                             _mm256_and_si256(sums, constant(constants().low_half)));
}
CRIVO_TARGET inline __m128i byte_parities(__m128i bytes) {
  return _mm256_castsi256_si128(byte_parities(_mm256_castsi128_si256(bytes)));
}

/// The parities of a row's words in eight columns.
CRIVO_TARGET inline std::uint64_t eight_columns(const std::byte* block, const std::byte* next,
                                                __m256i here, __m256i beyond) {
  const __m256i low =
      _mm256_xor_si256(_mm256_and_si256(load(block), here), _mm256_and_si256(load(next), beyond));
  const __m256i high = _mm256_xor_si256(_mm256_and_si256(load(block + 32), here),
                                        _mm256_and_si256(load(next + 32), beyond));
  // Folds each word to 32 bits, which come to stand in the order 0, 1, 4, 5, 2, 3, 6, 7.
  const __m256 a = _mm256_castsi256_ps(low);
  const __m256 b = _mm256_castsi256_ps(high);
  __m256i words = _mm256_castps_si256(_mm256_xor_ps(_mm256_shuffle_ps(a, b, 0b10'00'10'00),
                                                    _mm256_shuffle_ps(a, b, 0b11'01'11'01)));
  words = _mm256_permute4x64_epi64(words, 0b11'01'10'00);
  words = _mm256_xor_si256(words, _mm256_slli_epi32(words, 16));
  words = _mm256_xor_si256(words, _mm256_slli_epi32(words, 8));
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(byte_parities(words))));
}

/// Values of `kWidth` bits, or of at most 8 `kGroups` if that is 0, in blocks of 64, of which some
/// are narrow if `kNarrow`.
template <unsigned kGroups, bool kNarrow, unsigned kWidth = 0>
struct BlocksOf64 {
  static constexpr Layout kLayout = Layout::blocks_of_64;
  [[gnu::always_inline]] static inline bool find(const Layers& layers, std::uint64_t hi,
                                                 Row& row) noexcept {
    return layers.find_first<kLayout, kNarrow>(hi, kWidth != 0 ? kWidth : layers.width().bits, row);
  }

  CRIVO_TARGET static inline std::uint64_t value(const Row& row) noexcept {
    const unsigned width = kWidth != 0 ? kWidth : row.width;
    const __m256i here = all_lanes(row.here);
    const __m256i beyond = all_lanes(row.beyond);
    const std::byte* block = row.block;
    const std::byte* next = block + 8 * std::size_t{width};
    std::uint64_t value = eight_columns(block, next, here, beyond);
    for (unsigned group = 1; group < kGroups; ++group) {
      if (kGroups > 2 && 8 * group >= width) break;
      block += 64;
      next += 64;
      value |= eight_columns(block, next, here, beyond) << (8 * group);
    }
    return _bzhi_u64(value, width);  // the words past the last column are the next block's
  }
};

/// Values of at most 16 bits, in blocks of 8.
struct BlocksOf8Narrow {
  static constexpr Layout kLayout = Layout::blocks_of_8;
  [[gnu::always_inline]] static inline bool find(const Layers& layers, std::uint64_t hi,
                                                 Row& row) noexcept {
    return layers.find_first<kLayout, false>(hi, layers.width().bits, row);
  }

  CRIVO_TARGET static inline std::uint64_t value(const Row& row) noexcept {
    const unsigned width = row.width;
    const auto block = [&row, width](unsigned i) CRIVO_TARGET {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row.block + i * std::size_t{width}));
    };
    const __m128i here = _mm_cvtsi64_si128(static_cast<long long>(row.here));
    const __m128i beyond = _mm_cvtsi32_si128(static_cast<int>(row.beyond));
    __m128i sum = _mm_and_si128(block(8), _mm_broadcastb_epi8(beyond));
    for (unsigned i = 0; i < 8; ++i) {
      const __m128i taken =
          _mm_shuffle_epi8(here, _mm256_castsi256_si128(constant(constants().spread[i])));
      sum = _mm_xor_si128(sum, _mm_and_si128(block(i), taken));
    }
    const auto value = static_cast<unsigned>(_mm_movemask_epi8(byte_parities(sum)));
    return _bzhi_u64(value, width);  // the bytes past the last column are the next block's
  }
};

/// Values of at most 32 `kVectors` bits, in blocks of 8.
template <unsigned kVectors>
struct BlocksOf8 {
  static constexpr Layout kLayout = Layout::blocks_of_8;
  [[gnu::always_inline]] static inline bool find(const Layers& layers, std::uint64_t hi,
                                                 Row& row) noexcept {
    return layers.find_first<kLayout, false>(hi, layers.width().bits, row);
  }

  CRIVO_TARGET static inline std::uint64_t value(const Row& row) noexcept {
    const unsigned width = row.width;
    const __m256i here = all_lanes(row.here);
    const __m256i beyond = _mm256_broadcastb_epi8(_mm_cvtsi32_si128(static_cast<int>(row.beyond)));
    __m256i sums[kVectors];
    for (unsigned v = 0; v < kVectors; ++v) {
      sums[v] = _mm256_and_si256(load(row.block + 8 * std::size_t{width} + 32 * v), beyond);
    }
    for (unsigned i = 0; i < 8; ++i) {
      const __m256i taken = _mm256_shuffle_epi8(here, constant(constants().spread[i]));
      const std::byte* block = row.block + i * std::size_t{width};
      for (unsigned v = 0; v < kVectors; ++v) {
        sums[v] = _mm256_xor_si256(sums[v], _mm256_and_si256(load(block + 32 * v), taken));
      }
    }
    std::uint64_t value = 0;
    for (unsigned v = 0; v < kVectors; ++v) {
      const auto bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(byte_parities(sums[v])));
      value |= std::uint64_t{bits} << (32 * v);
    }
    return _bzhi_u64(value, width);  // the bytes past the last column are the next block's
  }
};

Kernel kernel_of(Layout layout, Width width) noexcept {
  if (layout == Layout::blocks_of_64) {
    if (width.narrow != 0) {
      if (width.bits <= 8) return kKernel<BlocksOf64<1, true>>;
      return width.bits <= 16 ? kKernel<BlocksOf64<2, true>> : kKernel<BlocksOf64<8, true>>;
    }
    if (width.bits == 8) return kKernel<BlocksOf64<1, false, 8>>;
    if (width.bits <= 8) return kKernel<BlocksOf64<1, false>>;
    if (width.bits == 16) return kKernel<BlocksOf64<2, false, 16>>;
    return width.bits <= 16 ? kKernel<BlocksOf64<2, false>> : kKernel<BlocksOf64<8, false>>;
  }
  if (width.bits <= 16) return kKernel<BlocksOf8Narrow>;
  if (width.bits <= 32) return kKernel<BlocksOf8<1>>;
  return kKernel<BlocksOf8<2>>;
}

}  // namespace
}  // namespace crivo::ribbon::kernels_avx2

namespace crivo::ribbon {

Kernel avx2_kernel(Layout layout, Width width) noexcept {
  return kernels_avx2::kernel_of(layout, width);
}

}  // namespace crivo::ribbon

#undef CRIVO_TARGET

#endif
