// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <bit>

#include "structures/phast/batch.hpp"

/// Said of each function, as in batch_avx2.cpp. What masks with kAll is meant for all lanes: gcc
/// warns of the forms without a mask.
#define CRIVO_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx2,bmi,bmi2,popcnt")))

namespace crivo::phast::batch_avx512 {
namespace {

/// Hashes at once.
constexpr std::size_t kLanes = 8;
constexpr __mmask8 kAll = 0xff;

CRIVO_AVX512 inline __m512i all(std::uint64_t value) {
  return _mm512_set1_epi64(static_cast<long long>(value));
}
/// The high 64 bits of a * b, for b below 2^32.
CRIVO_AVX512 inline __m512i mulhi(__m512i a, __m512i b) {
  const __m512i high = _mm512_maskz_mul_epu32(kAll, _mm512_maskz_srli_epi64(kAll, a, 32), b);
  const __m512i low = _mm512_maskz_srli_epi64(kAll, _mm512_maskz_mul_epu32(kAll, a, b), 32);
  return _mm512_maskz_srli_epi64(kAll, _mm512_add_epi64(high, low), 32);
}

/// The level with each number in all lanes.
class Level {
 public:
  CRIVO_AVX512 explicit Level(const detail::PhastLevel& level)
      : buckets_(all(level.buckets)),
        seed_bits_(all(level.seed_bits)),
        seed_mask_(all(level.seed_mask)),
        keys_(all(level.keys)),
        last_(all(level.keys - 1)),
        drop_(_mm_cvtsi32_si128(static_cast<int>(kSpreadAt + level.spread_shift))),
        seeds_(level.seeds) {}

  /// The bits at which the seeds of eight hashes begin, whose bytes are asked for.
  CRIVO_AVX512 inline __m512i locate(const std::uint64_t* halves) const {
    const __m512i places =
        _mm512_maskz_mul_epu32(kAll, mulhi(_mm512_loadu_si512(halves), buckets_), seed_bits_);
    alignas(64) std::uint64_t bytes[kLanes];
    _mm512_store_si512(bytes, _mm512_maskz_srli_epi64(kAll, places, 3));
    for (const std::uint64_t byte : bytes) {
      _mm_prefetch(reinterpret_cast<const char*>(seeds_ + byte), _MM_HINT_T0);
    }
    return places;
  }
  CRIVO_AVX512 inline __m512i seeds(__m512i places) const {
    const __m256i words = _mm512_mask_i64gather_epi32(
        _mm256_setzero_si256(), kAll, _mm512_maskz_srli_epi64(kAll, places, 3), seeds_, 1);
    const __m512i bits = _mm512_and_si512(places, all(7));
    return _mm512_and_si512(
        _mm512_maskz_srlv_epi64(kAll, _mm512_maskz_cvtepu32_epi64(kAll, words), bits), seed_mask_);
  }
  CRIVO_AVX512 inline __m512i values(const std::uint64_t* halves, __m512i seeds) const {
    const __m512i hi = _mm512_loadu_si512(halves);
    const __m512i odd =
        _mm512_or_si512(_mm512_maskz_srli_epi64(kAll, seeds, detail::kShiftBits - 1), all(1));
    // The lowest 16 bits of the product, which come to stand on top.
    const __m512i y =
        _mm512_maskz_slli_epi64(kAll, _mm512_maskz_mul_epu32(kAll, hi, odd), kSpreadAt);
    const __m512i shift = _mm512_and_si512(seeds, all(detail::kShifts - 1));
    const __m512i away = _mm512_add_epi64(_mm512_maskz_sra_epi64(kAll, y, drop_), shift);
    // A value below 0 is, as a number without a sign, above all values, too.
    return _mm512_maskz_min_epu64(kAll, _mm512_add_epi64(mulhi(hi, keys_), away), last_);
  }

 private:
  static constexpr unsigned kSpreadAt = 48;

  __m512i buckets_;
  __m512i seed_bits_;
  __m512i seed_mask_;
  __m512i keys_;
  __m512i last_;
  __m128i drop_;
  const std::byte* seeds_;
};

}  // namespace
}  // namespace crivo::phast::batch_avx512

namespace crivo::phast {

CRIVO_AVX512 std::size_t avx512_phast_batch(const detail::PhastLevel& mapped,
                                            std::span<const std::uint64_t> halves,
                                            std::uint64_t* ranks, std::uint16_t* bumped) noexcept {
  using batch_avx512::kLanes;
  const batch_avx512::Level level(mapped);
  alignas(64) std::uint64_t places[kPhastAhead];
  const auto locate = [&](std::size_t i) CRIVO_AVX512 {
    _mm512_store_si512(places + i % kPhastAhead, level.locate(halves.data() + i));
  };
  std::size_t count = 0;
  const std::size_t whole = halves.size() / kLanes * kLanes;
  for (std::size_t i = 0; i < std::min(kPhastAhead, whole); i += kLanes) locate(i);
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const __m512i seeds = level.seeds(_mm512_load_si512(places + i % kPhastAhead));
    if (i + kPhastAhead < whole) locate(i + kPhastAhead);
    _mm512_storeu_si512(ranks + i, level.values(halves.data() + i, seeds));
    unsigned lanes = _mm512_testn_epi64_mask(seeds, seeds);
    for (; lanes != 0; lanes &= lanes - 1) {
      bumped[count++] =
          static_cast<std::uint16_t>(i + static_cast<std::size_t>(std::countr_zero(lanes)));
    }
  }
  return finish_phast_batch(mapped, halves, whole, ranks, bumped, count);
}

}  // namespace crivo::phast

#endif
