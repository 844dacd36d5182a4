// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "structures/phast/batch.hpp"

/// Each function that uses more than the baseline says so for itself: a processor flag for the
/// whole file would also reach the inline functions of its headers, of which the linker keeps any
/// copy.
#define CRIVO_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

namespace crivo::phast::batch_avx2 {
namespace {

/// Hashes at once.
constexpr std::size_t kLanes = 4;

CRIVO_AVX2 inline __m256i load(const void* at) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}
CRIVO_AVX2 inline __m256i all(std::uint64_t value) {
  return _mm256_set1_epi64x(static_cast<long long>(value));
}
CRIVO_AVX2 inline __m128i low_half(__m256i x) {
  return _mm256_castsi256_si128(x);
}
CRIVO_AVX2 inline __m256i join(__m128i low, __m128i high) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}
/// The high 64 bits of a * b, for b below 2^32.
CRIVO_AVX2 inline __m256i mulhi(__m256i a, __m256i b) {
  const __m256i high = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), b);
  const __m256i low = _mm256_srli_epi64(_mm256_mul_epu32(a, b), 32);
  return _mm256_srli_epi64(_mm256_add_epi64(high, low), 32);
}
/// The lanes as numbers.
struct Four {
  std::uint64_t lanes[kLanes];
};
CRIVO_AVX2 inline Four numbers(__m256i x) {
  const __m128i low = low_half(x);
  const __m128i high = _mm256_extracti128_si256(x, 1);
  return {static_cast<std::uint64_t>(_mm_cvtsi128_si64(low)),
          static_cast<std::uint64_t>(_mm_extract_epi64(low, 1)),
          static_cast<std::uint64_t>(_mm_cvtsi128_si64(high)),
          static_cast<std::uint64_t>(_mm_extract_epi64(high, 1))};
}

/// detail::spread() + the seed's shift, modulo 2^64.
CRIVO_AVX2 inline __m256i spread(__m256i hi, __m256i seed, __m128i drop) {
  const __m256i odd =
      _mm256_or_si256(_mm256_srli_epi64(seed, detail::kShiftBits - 1), _mm256_set1_epi64x(1));
  // The lowest 16 bits, which come to stand on top of 32 that have a sign.
  const __m256i y = _mm256_slli_epi32(_mm256_mullo_epi16(hi, odd), 16);
  const __m256i shift = _mm256_and_si256(seed, all(detail::kShifts - 1));
  const __m256i away = _mm256_add_epi32(_mm256_sra_epi32(y, drop), shift);
  const __m256i sign = _mm256_srai_epi32(away, 31);
  return _mm256_blend_epi32(away, _mm256_slli_epi64(sign, 32), 0b10101010);
}

/// The level with each number in all lanes.
class Level {
 public:
  CRIVO_AVX2 explicit Level(const detail::PhastLevel& level)
      : buckets_(all(level.buckets)),
        seed_bits_(all(level.seed_bits)),
        seed_mask_(all(level.seed_mask)),
        keys_(all(level.keys)),
        last_(all(level.keys - 1)),
        drop_(_mm_cvtsi32_si128(static_cast<int>(16 + level.spread_shift))),
        seeds_(level.seeds) {}

  /// The bits at which the seeds of four hashes begin, whose bytes are asked for.
  CRIVO_AVX2 inline __m256i locate(const std::uint64_t* halves) const {
    const __m256i hi = load(halves);
    const __m256i places = _mm256_mul_epu32(mulhi(hi, buckets_), seed_bits_);
    for (const std::uint64_t byte : numbers(_mm256_srli_epi64(places, 3)).lanes) {
      _mm_prefetch(reinterpret_cast<const char*>(seeds_ + byte), _MM_HINT_T0);
    }
    return places;
  }
  CRIVO_AVX2 inline __m256i seeds(const std::uint64_t* places) const {
    const __m256i words = join(_mm_unpacklo_epi64(word(places[0]), word(places[1])),
                               _mm_unpacklo_epi64(word(places[2]), word(places[3])));
    const __m256i bits = _mm256_and_si256(load(places), _mm256_set1_epi64x(7));
    return _mm256_and_si256(_mm256_srlv_epi64(words, bits), seed_mask_);
  }
  CRIVO_AVX2 inline __m256i values(const std::uint64_t* halves, __m256i seeds) const {
    const __m256i hi = load(halves);
    const __m256i values = _mm256_add_epi64(mulhi(hi, keys_), spread(hi, seeds, drop_));
    // Below 2^32 + 2^12, or below 0 by less than 2^12: as signed numbers, all are far from the
    // ends.
    const __m256i below = _mm256_cmpgt_epi64(_mm256_setzero_si256(), values);
    const __m256i over = _mm256_or_si256(_mm256_cmpgt_epi64(values, last_), below);
    return _mm256_blendv_epi8(values, last_, over);
  }

 private:
  CRIVO_AVX2 inline __m128i word(std::uint64_t place) const {
    int word;
    std::memcpy(&word, seeds_ + place / 8, sizeof word);
    return _mm_cvtsi32_si128(word);
  }

  __m256i buckets_;
  __m256i seed_bits_;
  __m256i seed_mask_;
  __m256i keys_;
  __m256i last_;
  __m128i drop_;
  const std::byte* seeds_;
};

}  // namespace
}  // namespace crivo::phast::batch_avx2

namespace crivo::phast {

bool avx2_phast_batch_takes(const detail::PhastLevel& level) noexcept {
  return level.buckets >> 32 == 0 && level.keys >> 32 == 0;
}

CRIVO_AVX2 std::size_t avx2_phast_batch(const detail::PhastLevel& mapped,
                                        std::span<const std::uint64_t> halves, std::uint64_t* ranks,
                                        std::uint16_t* bumped) noexcept {
  using batch_avx2::kLanes;
  const batch_avx2::Level level(mapped);
  alignas(32) std::uint64_t places[kPhastAhead];
  const auto locate = [&](std::size_t i) CRIVO_AVX2 {
    _mm256_store_si256(reinterpret_cast<__m256i*>(places + i % kPhastAhead),
                       level.locate(halves.data() + i));
  };
  std::size_t count = 0;
  const std::size_t whole = halves.size() / kLanes * kLanes;
  for (std::size_t i = 0; i < std::min(kPhastAhead, whole); i += kLanes) locate(i);
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const __m256i seeds = level.seeds(places + i % kPhastAhead);
    if (i + kPhastAhead < whole) locate(i + kPhastAhead);
    const __m256i values = level.values(halves.data() + i, seeds);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(ranks + i), values);
    const __m256i none = _mm256_cmpeq_epi64(seeds, _mm256_setzero_si256());
    auto lanes = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(none)));
    for (; lanes != 0; lanes &= lanes - 1) {
      bumped[count++] =
          static_cast<std::uint16_t>(i + static_cast<std::size_t>(std::countr_zero(lanes)));
    }
  }
  return finish_phast_batch(mapped, halves, whole, ranks, bumped, count);
}

}  // namespace crivo::phast

#endif
