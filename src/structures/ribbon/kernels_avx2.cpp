// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include <bit>

#include "structures/ribbon/kernels.hpp"

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
  alignas(32) std::uint8_t spread[8][32] = {};         // the number of the row in each byte
  alignas(32) std::uint8_t eight_of_each[2][32] = {};  // 0 to 3 and 4 to 7, eight bytes each
  alignas(32) std::uint8_t both[4][32] = {};  // two numbers, sixteen bytes each, from 0, 2, 4, 6 on

  constexpr Constants() {
    for (unsigned i = 0; i < 32; ++i) {
      odd[i] = static_cast<std::uint8_t>(std::popcount(i % 16) % 2 * 0x80);
      low_half[i] = 0x0f;
      for (unsigned j = 0; j < 8; ++j) spread[j][i] = static_cast<std::uint8_t>(j);
      for (unsigned j = 0; j < 2; ++j)
        eight_of_each[j][i] = static_cast<std::uint8_t>(4 * j + i / 8);
      for (unsigned j = 0; j < 4; ++j) both[j][i] = static_cast<std::uint8_t>(2 * j + i / 16);
    }
  }
};
constexpr Constants kConstants;

/// Returns the constants in a way that the compiler cannot see through: it would make some of these
/// anew in each call, which takes more than to load them.
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
CRIVO_TARGET inline unsigned byte_parities(__m128i bytes) {
  const __m256i parities = byte_parities(_mm256_castsi128_si256(bytes));
  return static_cast<unsigned>(_mm_movemask_epi8(_mm256_castsi256_si128(parities)));
}
CRIVO_TARGET inline __m128i sum_of_halves(__m256i sums) {
  return _mm_xor_si128(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
}
/// The coefficients of the blocks that `numbers` names, a byte each.
CRIVO_TARGET inline __m256i of_blocks(const Row& row, const std::uint8_t (&numbers)[32]) {
  return _mm256_shuffle_epi8(all_lanes(row.coefficients), constant(numbers));
}

/// The parities of eight columns, of blocks 0 to 3 and 4 to 7 in eight bytes each.
CRIVO_TARGET inline unsigned eight_columns(const Row& row, __m256i first, __m256i last) {
  const Constants& use = constants();
  const __m128i sums =
      sum_of_halves(_mm256_xor_si256(_mm256_and_si256(first, of_blocks(row, use.eight_of_each[0])),
                                     _mm256_and_si256(last, of_blocks(row, use.eight_of_each[1]))));
  return byte_parities(_mm_xor_si128(sums, _mm_srli_si128(sums, 8)));
}

/// Values of 8 bits: the blocks are two vectors as they stand.
struct SumOf8 {
  static constexpr unsigned kWidth = 8;
  static constexpr bool kNarrow = false;

  [[gnu::always_inline]] CRIVO_TARGET static inline std::uint64_t value(const Row& row) noexcept {
    return eight_columns(row, load(row.block), load(row.block + 32)) & 0xff;
  }
};

/// Values of at most 8 bits: of each block eight bytes are loaded.
template <bool kAnyNarrow>
struct SumUpTo8 {
  static constexpr unsigned kWidth = 0;
  static constexpr bool kNarrow = kAnyNarrow;

  [[gnu::always_inline]] CRIVO_TARGET static inline std::uint64_t value(const Row& row) noexcept {
    const std::size_t width = row.width;
    const auto two = [width](const std::byte* at) CRIVO_TARGET __attribute__((always_inline)) {
      const __m128i one = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at));
      return _mm_castps_si128(
          _mm_loadh_pi(_mm_castsi128_ps(one), reinterpret_cast<const __m64*>(at + width)));
    };
    const auto four = [&](const std::byte* at) CRIVO_TARGET __attribute__((always_inline)) {
      return _mm256_inserti128_si256(_mm256_castsi128_si256(two(at)), two(at + 2 * width), 1);
    };
    const unsigned parities = eight_columns(row, four(row.block), four(row.block + 4 * width));
    return _bzhi_u64(parities, row.width);  // the bytes past the last column are the next block's
  }
};

/// Values of 16 bits: two blocks in a vector.
struct SumOf16 {
  static constexpr unsigned kWidth = 16;
  static constexpr bool kNarrow = false;

  [[gnu::always_inline]] CRIVO_TARGET static inline std::uint64_t value(const Row& row) noexcept {
    const Constants& use = constants();
    __m256i sums = _mm256_setzero_si256();
    for (unsigned v = 0; v < 4; ++v) {
      sums = _mm256_xor_si256(
          sums, _mm256_and_si256(load(row.block + 32 * v), of_blocks(row, use.both[v])));
    }
    return byte_parities(sum_of_halves(sums));
  }
};

/// Values of at most 16 bits, a block at a time.
template <bool kAnyNarrow>
struct SumUpTo16 {
  static constexpr unsigned kWidth = 0;
  static constexpr bool kNarrow = kAnyNarrow;

  [[gnu::always_inline]] CRIVO_TARGET static inline std::uint64_t value(const Row& row) noexcept {
    const Constants& use = constants();
    const __m128i here = _mm_cvtsi64_si128(static_cast<long long>(row.coefficients));
    __m128i sum = _mm_setzero_si128();
    for (unsigned i = 0; i < kRowBlocks; ++i) {
      const __m128i taken = _mm_shuffle_epi8(here, _mm256_castsi256_si128(constant(use.spread[i])));
      const __m128i block =
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(row.block + i * std::size_t{row.width}));
      sum = _mm_xor_si128(sum, _mm_and_si128(block, taken));
    }
    return _bzhi_u64(byte_parities(sum), row.width);  // bytes past the last column are the next's
  }
};

/// Values of at most 32 `kVectors` bits, a block at a time.
template <unsigned kVectors, bool kAnyNarrow>
struct SumUpTo {
  static constexpr unsigned kWidth = 0;
  static constexpr bool kNarrow = kAnyNarrow;

  [[gnu::always_inline]] CRIVO_TARGET static inline std::uint64_t value(const Row& row) noexcept {
    const Constants& use = constants();
    __m256i sums[kVectors];
    for (__m256i& sum : sums) sum = _mm256_setzero_si256();
    for (unsigned i = 0; i < kRowBlocks; ++i) {
      const __m256i taken = of_blocks(row, use.spread[i]);
      const std::byte* block = row.block + i * std::size_t{row.width};
      for (unsigned v = 0; v < kVectors; ++v) {
        sums[v] = _mm256_xor_si256(sums[v], _mm256_and_si256(load(block + 32 * v), taken));
      }
    }
    std::uint64_t value = 0;
    for (unsigned v = 0; v < kVectors; ++v) {
      const auto bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(byte_parities(sums[v])));
      value |= std::uint64_t{bits} << (32 * v);
    }
    return _bzhi_u64(value, row.width);  // the bytes past the last column are the next block's
  }
};

}  // namespace
}  // namespace crivo::ribbon::kernels_avx2

namespace crivo::ribbon {

Kernel avx2_kernel(Form form, Width width) noexcept {
  using namespace kernels_avx2;
  if (width.narrow != 0) {  // of filters, with 32 bits at most
    if (width.bits <= 8) return kernel_of<SumUpTo8<true>>(form);
    return width.bits <= 16 ? kernel_of<SumUpTo16<true>>(form) : kernel_of<SumUpTo<1, true>>(form);
  }
  if (width.bits == 8) return kernel_of<SumOf8>(form);
  if (width.bits < 8) return kernel_of<SumUpTo8<false>>(form);
  if (width.bits == 16) return kernel_of<SumOf16>(form);
  if (width.bits <= 16) return kernel_of<SumUpTo16<false>>(form);
  if (width.bits <= 32) return kernel_of<SumUpTo<1, false>>(form);
  using Wide = SumUpTo<2, false>;
  return form == Form::layers ? Lookups<Wide, Layers>::kWideKernel
                              : Lookups<Wide, SmallSet>::kWideKernel;
}

}  // namespace crivo::ribbon

#undef CRIVO_TARGET

#endif
