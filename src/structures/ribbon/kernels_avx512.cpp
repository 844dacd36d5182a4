// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include "structures/ribbon/kernels_avx512.hpp"

#include <immintrin.h>

#define CRIVO_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx2,bmi,bmi2,popcnt")))
#include "structures/ribbon/kernel_calls.hpp"

namespace crivo::ribbon::kernels_avx512 {
namespace {

/// The forms of these that have a mask: with the others GCC 12 warns of the operand that they leave
/// undefined, although no lane takes it.
CRIVO_TARGET inline __m512i in_quarters(__m128i x) {
  return _mm512_maskz_broadcast_i32x4(0xffff, x);
}
CRIVO_TARGET inline __m512i shifted_right(__m512i words, unsigned by) {
  return _mm512_maskz_srli_epi64(0xff, words, by);
}

/// Bit j is the parity of word j.
CRIVO_TARGET inline std::uint64_t parities(__m512i words) {
  // The parity of each byte is that of its nibbles' sum, looked up; a word's eight are counted.
  const __m512i odd = in_quarters(_mm_setr_epi8(0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0));
  const __m512i nibbles =
      _mm512_and_si512(_mm512_xor_si512(words, shifted_right(words, 4)), _mm512_set1_epi8(15));
  const __m512i counts = _mm512_sad_epu8(_mm512_shuffle_epi8(odd, nibbles), _mm512_setzero_si512());
  return _mm512_test_epi64_mask(counts, _mm512_set1_epi64(1));
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
    const __m512i here = _mm512_set1_epi64(static_cast<long long>(row.here));
    const __m512i beyond = _mm512_set1_epi64(static_cast<long long>(row.beyond));
    const std::byte* block = row.block;
    const std::byte* next = block + 8 * std::size_t{width};
    std::uint64_t value = 0;
    for (unsigned group = 0; group < kGroups; ++group, block += 64, next += 64) {
      if (kGroups > 2 && 8 * group >= width) break;
      const __m512i words = _mm512_xor_si512(_mm512_and_si512(_mm512_loadu_si512(block), here),
                                             _mm512_and_si512(_mm512_loadu_si512(next), beyond));
      value |= parities(words) << (8 * group);
    }
    return _bzhi_u64(value, width);  // the words past the last column are the next block's
  }
};

Kernel kernel_of(Width width) noexcept {
  if (width.narrow != 0) {
    if (width.bits <= 8) return kKernel<BlocksOf64<1, true>>;
    return width.bits <= 16 ? kKernel<BlocksOf64<2, true>> : kKernel<BlocksOf64<8, true>>;
  }
  if (width.bits == 8) return kKernel<BlocksOf64<1, false, 8>>;
  if (width.bits <= 8) return kKernel<BlocksOf64<1, false>>;
  if (width.bits == 16) return kKernel<BlocksOf64<2, false, 16>>;
  return width.bits <= 16 ? kKernel<BlocksOf64<2, false>> : kKernel<BlocksOf64<8, false>>;
}

}  // namespace
}  // namespace crivo::ribbon::kernels_avx512

namespace crivo::ribbon {

Kernel avx512_kernel(Width width) noexcept {
  return kernels_avx512::kernel_of(width);
}

}  // namespace crivo::ribbon

#undef CRIVO_TARGET

#endif
