#if defined(__x86_64__)

#include "mphf/kernel_avx2.hpp"

#include <immintrin.h>

#include <cstring>
#include <utility>

/// Each function that uses more than the baseline says so for itself: a processor flag for the
/// whole file would also reach the inline functions of its headers, of which the linker keeps any
/// copy.
#define CRIVO_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

namespace crivo::mphf {
namespace {

/// Four 16-bit numbers, the first in the low bits.
using Four = std::uint64_t;

CRIVO_AVX2 inline __m256i load(const void* at) {
  return _mm256_load_si256(static_cast<const __m256i*>(at));
}
CRIVO_AVX2 inline void store(void* at, __m256i value) {
  _mm256_store_si256(static_cast<__m256i*>(at), value);
}

/// Keeps the compiler from taking the parts of `four` from memory and from mixing the steps of many
/// families, for which it has not the registers.
inline void keep_order(Four& four, std::uint32_t& any) {
  __asm__ volatile("" : "+r"(four), "+r"(any));
}

/// The place of each lane's lowest zero, as the exponent of what that bit is as a float (which is
/// negative for bit 31). Any number for a lane without one.
CRIVO_AVX2 inline __m256i first_free(__m256i taken) {
  const __m256i lowest = _mm256_andnot_si256(taken, _mm256_add_epi32(taken, _mm256_set1_epi32(1)));
  const __m256i bits = _mm256_castps_si256(_mm256_cvtepi32_ps(lowest));
  const __m256i exponent = _mm256_and_si256(_mm256_srli_epi32(bits, 23), _mm256_set1_epi32(255));
  return _mm256_sub_epi32(exponent, _mm256_set1_epi32(127));
}

/// Values and costs are made sixteen families at a time. The windows are read one by one, four
/// indices from a register: gathers took a third longer on Zen 3 (and Intel's are slow with the
/// microcode that closes their leak, CVE-2022-40982).
template <unsigned kFamilies, unsigned kKeys>
CRIVO_AVX2 std::uint32_t search(const Query& query, Candidates& candidates) {
  alignas(32) std::uint16_t at[kKeys][kFamilies];
  const __m256i slice_length = _mm256_set1_epi16(static_cast<short>(query.slice_length));
  for (unsigned i = 0; i < kKeys; ++i) {
    const __m256i bits = _mm256_set1_epi16(static_cast<short>(query.spreading[i]));
    const __m256i base = _mm256_set1_epi16(static_cast<short>(query.positions[i] - query.start));
    __m256i odd = _mm256_setr_epi16(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    for (unsigned f = 0; f < kFamilies; f += 16) {
      const __m256i x = _mm256_mulhi_epu16(_mm256_mullo_epi16(bits, odd), slice_length);
      store(&at[i][f], _mm256_add_epi16(x, base));
      odd = _mm256_add_epi16(odd, _mm256_set1_epi16(32));
    }
  }

  // In pairs of vectors of eight: the even ones of sixteen families, then the odd ones.
  alignas(32) std::uint32_t taken[kFamilies];
  const std::uint32_t* const windows = query.windows;
  for (unsigned f = 0; f < kFamilies; f += 4) {
    std::uint32_t any[4] = {};
    for (unsigned i = 0; i < kKeys; ++i) {
      Four four;
      std::memcpy(&four, &at[i][f], sizeof four);
      for (std::uint32_t& one : any) {
        one |= windows[static_cast<std::uint16_t>(four)];
        four >>= 16;
        keep_order(four, one);
      }
    }
    std::uint32_t* const even = taken + f / 16 * 16 + f % 16 / 2;
    even[0] = any[0];
    even[1] = any[2];
    even[8] = any[1];
    even[9] = any[3];
  }
  taken[0] |= 1;

  const __m256i none = _mm256_set1_epi32(-1);
  const __m256i low = _mm256_set1_epi32(0xffff);
  const __m256i bias = _mm256_set1_epi32(static_cast<int>(query.bias));
  // The exponent bias of every key's float.
  const __m256i excess = _mm256_set1_epi32(static_cast<int>(kKeys * (127U << 23)));
  __m256i family = _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14);
  __m256i best = none;
  for (unsigned f = 0; f < kFamilies; f += 16) {
    const __m256i even_taken = load(taken + f);
    const __m256i odd_taken = load(taken + f + 8);
    const __m256i even_full = _mm256_cmpeq_epi32(even_taken, none);
    const __m256i odd_full = _mm256_cmpeq_epi32(odd_taken, none);
    __m256i even_cost = _mm256_setzero_si256();
    __m256i odd_cost = even_cost;
    if (_mm256_testc_si256(_mm256_and_si256(even_full, odd_full), none) == 0) {
      const __m256i even_from = _mm256_add_epi32(bias, first_free(even_taken));
      const __m256i odd_from = _mm256_add_epi32(bias, first_free(odd_taken));
      for (unsigned i = 0; i < kKeys; ++i) {
        const __m256i values = load(&at[i][f]);
        const __m256i even = _mm256_add_epi32(_mm256_and_si256(values, low), even_from);
        const __m256i odd = _mm256_add_epi32(_mm256_srli_epi32(values, 16), odd_from);
        even_cost = _mm256_add_epi32(even_cost, _mm256_castps_si256(_mm256_cvtepi32_ps(even)));
        odd_cost = _mm256_add_epi32(odd_cost, _mm256_castps_si256(_mm256_cvtepi32_ps(odd)));
      }
    }
    // From the float bits' sum to (sum of scores) << kFamilyBits: less by 2^12 / 2^kFamilyBits.
    const auto key = [&](__m256i cost, __m256i full, __m256i number) CRIVO_AVX2 {
      const __m256i scaled = _mm256_srli_epi32(_mm256_sub_epi32(cost, excess), 12 - kFamilyBits);
      return _mm256_or_si256(_mm256_or_si256(scaled, number), full);
    };
    const __m256i even_key = key(even_cost, even_full, family);
    const __m256i odd_key = key(odd_cost, odd_full, _mm256_add_epi32(family, _mm256_set1_epi32(1)));
    family = _mm256_add_epi32(family, _mm256_set1_epi32(16));
    store(candidates.keys.data() + f, even_key);
    store(candidates.keys.data() + f + 8, odd_key);
    best = _mm256_min_epu32(best, _mm256_min_epu32(even_key, odd_key));
  }
  candidates.count = kFamilies;
  const __m128i four =
      _mm_min_epu32(_mm256_castsi256_si128(best), _mm256_extracti128_si256(best, 1));
  const __m128i two = _mm_min_epu32(four, _mm_shuffle_epi32(four, 0x4e));
  const __m128i one = _mm_min_epu32(two, _mm_shuffle_epi32(two, 0xb1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(one));
}

template <unsigned kFamilies, unsigned... kSizes>
constexpr Searches table(std::integer_sequence<unsigned, kSizes...>) {
  return {nullptr, &search<kFamilies, kSizes + 1>...};
}

}  // namespace

const Searches* avx2_searches(unsigned seed_bits) noexcept {
  using Sizes = std::make_integer_sequence<unsigned, kMaxBucketKeys>;
  static constexpr Searches kTenBits = table<1U << (10 - kShiftBits)>(Sizes{});
  static constexpr Searches kTwelveBits = table<1U << (12 - kShiftBits)>(Sizes{});
  return seed_bits == 10 ? &kTenBits : seed_bits == 12 ? &kTwelveBits : nullptr;
}

}  // namespace crivo::mphf

#endif
