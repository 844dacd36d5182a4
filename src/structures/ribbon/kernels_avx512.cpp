#if defined(__x86_64__)

#include "structures/ribbon/kernels_avx512.hpp"

#include <immintrin.h>

#include "structures/retrieval/fingerprint.hpp"

#define CRIVO_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx2,bmi,bmi2,popcnt")))

namespace crivo::ribbon {
namespace {

/// The forms of these that have a mask: with the others GCC 12 warns of the operand that they leave
/// undefined, although no lane takes it.
CRIVO_AVX512 inline __m512i in_quarters(__m128i x) {
  return _mm512_maskz_broadcast_i32x4(0xffff, x);
}
CRIVO_AVX512 inline __m512i shifted_right(__m512i words, unsigned by) {
  return _mm512_maskz_srli_epi64(0xff, words, by);
}

/// Bit j is the parity of word j.
CRIVO_AVX512 inline std::uint64_t parities(__m512i words) {
  // The parity of each byte is that of its nibbles' sum, looked up; a word's eight are counted.
  const __m512i odd = in_quarters(_mm_setr_epi8(0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0));
  const __m512i nibbles =
      _mm512_and_si512(_mm512_xor_si512(words, shifted_right(words, 4)), _mm512_set1_epi8(15));
  const __m512i counts = _mm512_sad_epu8(_mm512_shuffle_epi8(odd, nibbles), _mm512_setzero_si512());
  return _mm512_test_epi64_mask(counts, _mm512_set1_epi64(1));
}

/// Values of `kWidth` bits, or of at most 8 `kGroups` if that is 0, in blocks of 64.
template <unsigned kGroups, unsigned kWidth = 0>
struct BlocksOf64 {
  static constexpr Layout kLayout = Layout::blocks_of_64;
  static unsigned width(const Layers& layers) noexcept {
    return kWidth != 0 ? kWidth : layers.width();
  }

  CRIVO_AVX512 static inline std::uint64_t value(const Row& row, unsigned width) noexcept {
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

/// A key that the first layer does not hold. Apart from the others, which so need no stack.
template <typename Blocks>
[[gnu::noinline]] CRIVO_AVX512 std::uint64_t bumped_value(const Layers& layers, std::uint64_t hi,
                                                          std::uint64_t lo) noexcept {
  return Blocks::value(layers.find_bumped<Blocks::kLayout>({hi, lo}), layers.width());
}

template <typename Blocks>
[[gnu::noinline]] CRIVO_AVX512 bool bumped_contains(const Layers& layers, std::uint64_t hi,
                                                    std::uint64_t lo) noexcept {
  return bumped_value<Blocks>(layers, hi, lo) == retrieval::fingerprint({hi, lo}, layers.width());
}

template <typename Blocks>
CRIVO_AVX512 std::uint64_t value(const Layers& layers, std::uint64_t hi,
                                 std::uint64_t lo) noexcept {
  const unsigned width = Blocks::width(layers);
  Row row;
  if (!layers.find_first<Blocks::kLayout>(hi, lo, width, row)) [[unlikely]]
    return bumped_value<Blocks>(layers, hi, lo);
  return Blocks::value(row, width);
}

template <typename Blocks>
CRIVO_AVX512 bool contains(const Layers& layers, std::uint64_t hi, std::uint64_t lo) noexcept {
  const unsigned width = Blocks::width(layers);
  Row row;
  if (!layers.find_first<Blocks::kLayout>(hi, lo, width, row)) [[unlikely]]
    return bumped_contains<Blocks>(layers, hi, lo);
  return Blocks::value(row, width) == retrieval::fingerprint({hi, lo}, width);
}

template <typename Blocks>
CRIVO_AVX512 void values(std::span<const Row> rows, unsigned width,
                         std::uint64_t* values) noexcept {
  for (const Row& row : rows) *values++ = Blocks::value(row, width);
}

template <typename Blocks>
constexpr Kernel kKernel{value<Blocks>, contains<Blocks>, values<Blocks>};

}  // namespace

Kernel avx512_kernel(unsigned width) noexcept {
  if (width == 8) return kKernel<BlocksOf64<1, 8>>;
  if (width <= 8) return kKernel<BlocksOf64<1>>;
  if (width == 16) return kKernel<BlocksOf64<2, 16>>;
  if (width <= 16) return kKernel<BlocksOf64<2>>;
  return kKernel<BlocksOf64<8>>;
}

}  // namespace crivo::ribbon

#endif
