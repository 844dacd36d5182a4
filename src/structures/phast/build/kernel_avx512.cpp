// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <utility>

#include "structures/phast/build/kernel.hpp"
#include "structures/phast/build/occupancy.hpp"

/// As in kernel_avx2.cpp.
#define CRIVO_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx2,bmi,bmi2,popcnt")))
/// A step of the search.
#define CRIVO_AVX512_STEP CRIVO_AVX512 __attribute__((always_inline)) inline

namespace crivo::phast::kernel_avx512 {
namespace {

CRIVO_AVX512 inline __m512i load(const void* at) {
  return _mm512_load_si512(at);
}
CRIVO_AVX512 inline void store(void* at, __m512i value) {
  _mm512_store_si512(at, value);
}
CRIVO_AVX512 inline __m512i all(std::uint32_t value) {
  return _mm512_set1_epi32(static_cast<int>(value));
}
CRIVO_AVX512 inline __m256i load_shifts(const void* at) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

/// Where the keys of a bucket are by each family, unless shifted.
template <unsigned kFamilies, unsigned kKeys>
struct Places {
  alignas(64) std::uint32_t at[kKeys][kFamilies];
  alignas(64) std::uint32_t bytes[kKeys][kFamilies];  ///< where the bits from `at` on begin
};

CRIVO_AVX512 inline __m512i first_sixteen() {
  return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

template <unsigned kFamilies, unsigned kKeys>
CRIVO_AVX512_STEP void find_places(const Query& query, Places<kFamilies, kKeys>& places) {
  const __m512i sixteen = first_sixteen();
  const __m512i row = _mm512_maskz_and_epi32(0xffff, sixteen, all(Occupancy::kRows - 1));
  const __m512i rows = _mm512_mullo_epi32(row, all(Occupancy::kRowBytes));
  const __m128i drop = _mm_cvtsi32_si128(static_cast<int>(16 - query.slice_bits));
  const __m512i first_odd = _mm512_add_epi32(_mm512_add_epi32(sixteen, sixteen), all(1));
  for (unsigned i = 0; i < kKeys; ++i) {
    const __m512i bits = all(query.spreading[i]);
    const __m512i base = all(query.positions[i] - query.origin);
    __m512i odd = first_odd;
    for (unsigned f = 0; f < kFamilies; f += 16) {
      // The upper halves of the 32-bit lanes stay 0.
      const __m512i x = _mm512_srl_epi16(_mm512_mullo_epi16(bits, odd), drop);
      const __m512i v = _mm512_add_epi32(x, base);
      store(&places.at[i][f], v);
      // The permutation looks at the low four bits only.
      const __m512i start = _mm512_maskz_permutexvar_epi32(0xffff, v, rows);
      const __m512i eighth = _mm512_maskz_srli_epi32(0xffff, v, 3);
      store(&places.bytes[i][f], _mm512_add_epi32(start, eighth));
      odd = _mm512_add_epi32(odd, all(32));
    }
  }
}

/// The least shifts of sixteen families by which all keys get a free place; kShifts where there is
/// none. All 256 of a family are one vector of half the width.
template <unsigned kFamilies, unsigned kKeys>
CRIVO_AVX512_STEP __m512i find_shifts(const Query& query, const Places<kFamilies, kKeys>& places,
                                      unsigned group) {
  const __m256i full = _mm256_set1_epi32(-1);
  std::uint64_t shifts[4] = {};  // as 16-bit numbers
#ifndef CRIVO_SANITIZED
#pragma GCC unroll 16
#endif
  for (unsigned j = 0; j < 16; ++j) {
    const unsigned f = group + j;
    __m256i any = load_shifts(query.taken + places.bytes[0][f]);
    unsigned i = 1;
    for (; i + 1 < kKeys; i += 2) {
      any = _mm256_ternarylogic_epi32(any, load_shifts(query.taken + places.bytes[i][f]),
                                      load_shifts(query.taken + places.bytes[i + 1][f]), 0xfe);
    }
    if (i < kKeys) any = _mm256_or_si256(any, load_shifts(query.taken + places.bytes[i][f]));
    if (f == 0) any = _mm256_or_si256(any, _mm256_setr_epi32(1, 0, 0, 0, 0, 0, 0, 0));
    // The zeros of the first word that has one. If there is none, bit 32 of the last.
    const __mmask8 with = _mm256_cmpneq_epi32_mask(any, full);
    const __m256i free = _mm256_maskz_compress_epi32(with, _mm256_xor_si256(any, full));
    const std::uint32_t word = _tzcnt_u32(with | 0x80U);
    const auto zeros = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm256_castsi256_si128(free)));
    const std::uint64_t shift = 32 * word + _tzcnt_u32(zeros);
    shifts[j / 4] |= shift << (16 * (j % 4));
  }
  const __m256i packed =
      _mm256_setr_epi64x(static_cast<long long>(shifts[0]), static_cast<long long>(shifts[1]),
                         static_cast<long long>(shifts[2]), static_cast<long long>(shifts[3]));
  return _mm512_maskz_cvtepu16_epi32(0xffff, packed);
}

/// Sixteen families at a time.
template <unsigned kFamilies, unsigned kKeys>
CRIVO_AVX512 std::uint32_t search(const Query& query, Candidates& candidates) {
  static_assert(kShifts == 256 && Occupancy::kRows == 8 && kFamilies % 16 == 0);
  Places<kFamilies, kKeys> places;
  find_places(query, places);
  const __m512i bias = all(query.bias);
  const __m512i excess = all(kKeys * (127U << 23));  // the exponent bias of every key's float
  __m512i family = first_sixteen();
  __m512i best = all(kNoCandidate);
  for (unsigned group = 0; group < kFamilies; group += 16) {
    const __m512i shift = find_shifts(query, places, group);
    _mm512_storeu_si512(&candidates.shifts[group], shift);

    const __m512i from = _mm512_add_epi32(bias, shift);
    __m512i cost = _mm512_sub_epi32(_mm512_setzero_si512(), excess);
    for (unsigned i = 0; i < kKeys; ++i) {
      const __m512 v =
          _mm512_maskz_cvtepi32_ps(0xffff, _mm512_add_epi32(load(&places.at[i][group]), from));
      cost = _mm512_add_epi32(cost, _mm512_castps_si512(v));
    }
    // From the float bits' sum to (sum of scores) << kFamilyBits: less by 2^12 / 2^kFamilyBits.
    const __m512i scaled = _mm512_maskz_srli_epi32(0xffff, cost, 12 - kFamilyBits);
    const __mmask16 fits = _mm512_cmplt_epu32_mask(shift, all(kShifts));
    const __m512i key = _mm512_mask_or_epi32(all(kNoCandidate), fits, scaled, family);
    _mm512_storeu_si512(&candidates.keys[group], key);
    best = _mm512_maskz_min_epu32(0xffff, best, key);
    family = _mm512_add_epi32(family, all(16));
  }
  alignas(64) std::uint32_t least[16];
  store(least, best);
  return *std::min_element(least, least + 16);
}

struct Avx512 {
  template <unsigned kFamilies, unsigned kKeys>
  static constexpr Search kSearch = &search<kFamilies, kKeys>;
};

}  // namespace
}  // namespace crivo::phast::kernel_avx512

namespace crivo::phast {

const Searches* avx512_searches(unsigned seed_bits) noexcept {
  return searches_of_width<kernel_avx512::Avx512, 12>(seed_bits);
}

}  // namespace crivo::phast

#endif
