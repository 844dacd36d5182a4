// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include <utility>

#include "structures/phast/build/kernel.hpp"
#include "structures/phast/build/occupancy.hpp"

/// Each function that uses more than the baseline says so for itself: a processor flag for the
/// whole file would also reach the inline functions of its headers, of which the linker keeps any
/// copy.
#define CRIVO_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
/// A step of the search.
#define CRIVO_AVX2_STEP CRIVO_AVX2 __attribute__((always_inline)) inline

namespace crivo::phast::kernel_avx2 {
namespace {

CRIVO_AVX2 inline __m256i load(const void* at) {
  return _mm256_load_si256(static_cast<const __m256i*>(at));
}
CRIVO_AVX2 inline __m256i load_unaligned(const void* at) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}
CRIVO_AVX2 inline void store(void* at, __m256i value) {
  _mm256_store_si256(static_cast<__m256i*>(at), value);
}
CRIVO_AVX2 inline __m256i all(std::uint32_t value) {
  return _mm256_set1_epi32(static_cast<int>(value));
}

/// Where the keys of a bucket are by each family, unless shifted.
template <unsigned kFamilies, unsigned kKeys>
struct Places {
  alignas(32) std::uint32_t at[kKeys][kFamilies];
  alignas(32) std::uint32_t bytes[kKeys][kFamilies];  ///< where the bits from `at` on begin
};

CRIVO_AVX2 inline __m256i first_eight() {
  return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
}

template <unsigned kFamilies, unsigned kKeys>
CRIVO_AVX2_STEP void find_places(const Query& query, Places<kFamilies, kKeys>& places) {
  const __m256i rows = _mm256_mullo_epi32(first_eight(), all(Occupancy::kRowBytes));
  const __m128i drop = _mm_cvtsi32_si128(static_cast<int>(16 - query.slice_bits));
  const __m256i first_odd = _mm256_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15);
  for (unsigned i = 0; i < kKeys; ++i) {
    const __m256i bits = all(query.spreading[i]);
    const __m256i base = all(query.positions[i] - query.origin);
    __m256i odd = first_odd;
    for (unsigned f = 0; f < kFamilies; f += 8) {
      // The upper halves of the 32-bit lanes stay 0.
      const __m256i x = _mm256_srl_epi16(_mm256_mullo_epi16(bits, odd), drop);
      const __m256i v = _mm256_add_epi32(x, base);
      store(&places.at[i][f], v);
      // The permutation looks at the low three bits only.
      const __m256i row = _mm256_permutevar8x32_epi32(rows, v);
      store(&places.bytes[i][f], _mm256_add_epi32(row, _mm256_srli_epi32(v, 3)));
      odd = _mm256_add_epi32(odd, all(16));
    }
  }
}

/// The least shift of each family by which all keys get a free place; kShifts where there is none.
/// All 256 of a family are one vector.
template <unsigned kFamilies, unsigned kKeys>
CRIVO_AVX2_STEP void find_shifts(const Query& query, const Places<kFamilies, kKeys>& places,
                                 Candidates& candidates) {
  const __m256i none = all(0xffffffff);
  for (unsigned group = 0; group < kFamilies; group += 8) {
    // As 16-bit numbers in two words: a vector load of what was stored one by one would stall.
    std::uint64_t shifts[2] = {};
    alignas(32) std::uint32_t taken[8][8];
#ifndef CRIVO_SANITIZED
#pragma GCC unroll 8
#endif
    for (unsigned j = 0; j < 8; ++j) {
      const unsigned f = group + j;
      __m256i any = load_unaligned(query.taken + places.bytes[0][f]);
      for (unsigned i = 1; i < kKeys; ++i)
        any = _mm256_or_si256(any, load_unaligned(query.taken + places.bytes[i][f]));
      if (f == 0) any = _mm256_or_si256(any, _mm256_setr_epi32(1, 0, 0, 0, 0, 0, 0, 0));
      store(taken[j], any);
      const __m256 full = _mm256_castsi256_ps(_mm256_cmpeq_epi32(any, none));
      // The first word with a zero, or the last word: then the bit is 32, and the shift kShifts.
      const auto with = static_cast<std::uint32_t>(~_mm256_movemask_ps(full));
      const std::uint32_t word = _tzcnt_u32(with | 0x80);
      const std::uint64_t shift = 32 * word + _tzcnt_u32(~taken[j][word]);
      shifts[j / 4] |= shift << (16 * (j % 4));
    }
    store(&candidates.shifts[group],
          _mm256_cvtepu16_epi32(_mm_set_epi64x(static_cast<long long>(shifts[1]),
                                               static_cast<long long>(shifts[0]))));
  }
}

/// The key of the best family, and those of all.
template <unsigned kFamilies, unsigned kKeys>
CRIVO_AVX2_STEP std::uint32_t find_best(const Query& query, const Places<kFamilies, kKeys>& places,
                                        Candidates& candidates) {
  const __m256i bias = all(query.bias);
  const __m256i excess = all(kKeys * (127U << 23));  // the exponent bias of every key's float
  __m256i family = first_eight();
  __m256i best = all(0xffffffff);
  for (unsigned f = 0; f < kFamilies; f += 8) {
    const __m256i shift = load(&candidates.shifts[f]);
    const __m256i from = _mm256_add_epi32(bias, shift);
    __m256i cost = _mm256_sub_epi32(_mm256_setzero_si256(), excess);
    for (unsigned i = 0; i < kKeys; ++i) {
      const __m256 v = _mm256_cvtepi32_ps(_mm256_add_epi32(load(&places.at[i][f]), from));
      cost = _mm256_add_epi32(cost, _mm256_castps_si256(v));
    }
    // From the float bits' sum to (sum of scores) << kFamilyBits: less by 2^12 / 2^kFamilyBits.
    const __m256i full = _mm256_cmpgt_epi32(shift, all(kShifts - 1));
    const __m256i scaled = _mm256_srli_epi32(cost, 12 - kFamilyBits);
    const __m256i key = _mm256_or_si256(_mm256_or_si256(scaled, family), full);
    store(&candidates.keys[f], key);
    best = _mm256_min_epu32(best, key);
    family = _mm256_add_epi32(family, all(8));
  }
  const __m128i four =
      _mm_min_epu32(_mm256_castsi256_si128(best), _mm256_extracti128_si256(best, 1));
  const __m128i two = _mm_min_epu32(four, _mm_shuffle_epi32(four, 0x4e));
  const __m128i one = _mm_min_epu32(two, _mm_shuffle_epi32(two, 0xb1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(one));
}

/// Eight families at a time, but for their shifts.
template <unsigned kFamilies, unsigned kKeys>
CRIVO_AVX2 std::uint32_t search(const Query& query, Candidates& candidates) {
  static_assert(kShifts == 256 && Occupancy::kRows == 8);
  Places<kFamilies, kKeys> places;
  find_places(query, places);
  // Else gcc takes the offsets apart in registers, which is slower than the loads.
  __asm__("" : "+m"(places.bytes));
  find_shifts(query, places, candidates);
  return find_best(query, places, candidates);
}

struct Avx2 {
  template <unsigned kFamilies, unsigned kKeys>
  static constexpr Search kSearch = &search<kFamilies, kKeys>;
};

}  // namespace
}  // namespace crivo::phast::kernel_avx2

namespace crivo::phast {

const Searches* avx2_searches(unsigned seed_bits) noexcept {
  return searches_of_width<kernel_avx2::Avx2>(seed_bits);
}

}  // namespace crivo::phast

#endif
