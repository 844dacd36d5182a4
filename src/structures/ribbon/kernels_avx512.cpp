#if defined(__x86_64__)

#include "structures/ribbon/kernels_avx512.hpp"

#include <immintrin.h>

#include <algorithm>
#include <array>

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

/// Values of `kWidth` bits, or of at most 8 `kGroups` if that is 0, in blocks of 64, of which some
/// are narrow if `kNarrow`.
template <unsigned kGroups, bool kNarrow, unsigned kWidth = 0>
struct BlocksOf64 {
  static constexpr Layout kLayout = Layout::blocks_of_64;
  [[gnu::always_inline]] static inline bool find(const Layers& layers, std::uint64_t hi,
                                                 Row& row) noexcept {
    return layers.find_first<kLayout, kNarrow>(hi, kWidth != 0 ? kWidth : layers.width().bits, row);
  }

  CRIVO_AVX512 static inline std::uint64_t value(const Row& row) noexcept {
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

/// A key that the first layer does not hold. Apart from the others, which so need no stack.
template <typename Blocks>
[[gnu::noinline]] CRIVO_AVX512 std::uint64_t bumped_value(const Layers& layers, std::uint64_t hi,
                                                          std::uint64_t lo) noexcept {
  const Row row = layers.find_bumped<Blocks::kLayout>({hi, lo});
  return Blocks::value(row);
}

template <typename Blocks>
[[gnu::noinline]] CRIVO_AVX512 bool bumped_contains(const Layers& layers,
                                                    std::uint64_t hi) noexcept {
  const Row row = layers.find_bumped<Blocks::kLayout>(of_filter({hi, 0}));
  return is_fingerprint(Blocks::value(row), hi, row.width);
}

template <typename Blocks>
CRIVO_AVX512 std::uint64_t value(const void* of, std::uint64_t hi, std::uint64_t lo) noexcept {
  const auto& layers = *static_cast<const Layers*>(of);
  Row row;
  if (!Blocks::find(layers, hi, row)) [[unlikely]]
    return bumped_value<Blocks>(layers, hi, lo);
  return Blocks::value(row);
}

template <typename Blocks>
CRIVO_AVX512 bool contains(const void* of, std::uint64_t hi, std::uint64_t) noexcept {
  const auto& layers = *static_cast<const Layers*>(of);
  Row row;
  if (!Blocks::find(layers, hi, row)) [[unlikely]]
    return bumped_contains<Blocks>(layers, hi);
  return is_fingerprint(Blocks::value(row), hi, row.width);
}

template <typename Blocks>
CRIVO_AVX512 void contains_all(const Layers& layers, std::span<const Hash128> hashes,
                               bool* answers) noexcept {
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
CRIVO_AVX512 void values(std::span<const Row> rows, std::uint64_t* values) noexcept {
  for (const Row& row : rows) *values++ = Blocks::value(row);
}

template <typename Blocks>
constexpr Kernel kKernel{value<Blocks>, contains<Blocks>, contains_all<Blocks>, values<Blocks>};

}  // namespace

Kernel avx512_kernel(Width width) noexcept {
  if (width.narrow != 0) {
    if (width.bits <= 8) return kKernel<BlocksOf64<1, true>>;
    return width.bits <= 16 ? kKernel<BlocksOf64<2, true>> : kKernel<BlocksOf64<8, true>>;
  }
  if (width.bits == 8) return kKernel<BlocksOf64<1, false, 8>>;
  if (width.bits <= 8) return kKernel<BlocksOf64<1, false>>;
  if (width.bits == 16) return kKernel<BlocksOf64<2, false, 16>>;
  return width.bits <= 16 ? kKernel<BlocksOf64<2, false>> : kKernel<BlocksOf64<8, false>>;
}

}  // namespace crivo::ribbon

#endif
