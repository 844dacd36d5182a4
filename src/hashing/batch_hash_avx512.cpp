// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <array>

#include "hashing/batch_hash.hpp"

/// As in structures/phast/build/kernel_avx2.cpp.
#define CRIVO_AVX512DQ __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2")))

namespace crivo::hashing::pairs_avx512 {
namespace {

using detail::xxh3::kPrime1;
using detail::xxh3::kPrime2;

constexpr unsigned kLanes = 8;

CRIVO_AVX512DQ inline __m512i all(unsigned long long value) {
  return _mm512_set1_epi64(static_cast<long long>(value));
}
CRIVO_AVX512DQ inline __m512i right(__m512i x, unsigned bits) {
  return _mm512_maskz_srli_epi64(0xff, x, bits);
}
CRIVO_AVX512DQ inline __m512i multiply_low_halves(__m512i a, __m512i b) {
  return _mm512_maskz_mul_epu32(0xff, a, b);
}

/// A product in each lane: xxh3::fold(), and the upper half.
struct Product {
  __m512i fold;
  __m512i upper;
};
/// From products of 32 bits.
CRIVO_AVX512DQ inline Product multiply(__m512i a, __m512i b) {
  const __m512i low_word = all(0xffffffff);
  const __m512i a_high = _mm512_maskz_shuffle_epi32(0xffff, a, _MM_PERM_DDBB);
  const __m512i b_high = _mm512_maskz_shuffle_epi32(0xffff, b, _MM_PERM_DDBB);
  const __m512i lowest = multiply_low_halves(a, b);
  const __m512i middle = _mm512_add_epi64(multiply_low_halves(a, b_high), right(lowest, 32));
  const __m512i rest =
      _mm512_add_epi64(multiply_low_halves(a_high, b), _mm512_and_si512(middle, low_word));
  const __m512i upper = _mm512_add_epi64(
      _mm512_add_epi64(multiply_low_halves(a_high, b_high), right(middle, 32)), right(rest, 32));
  // (lowest & low_word) ^ upper, and the upper word of the lower half.
  const __m512i some = _mm512_ternarylogic_epi64(lowest, low_word, upper, 0x6a);
  return {_mm512_xor_si512(some, _mm512_maskz_slli_epi64(0xff, rest, 32)), upper};
}

CRIVO_AVX512DQ inline __m512i times(__m512i x, std::uint64_t factor) {
  return _mm512_mullo_epi64(x, all(factor));
}
CRIVO_AVX512DQ inline __m512i avalanche(__m512i x) {
  x = times(_mm512_xor_si512(x, right(x, 37)), detail::xxh3::kSumFactor);
  return _mm512_xor_si512(x, right(x, 32));
}

/// 16 bytes from each of eight places: their first words, and their second. Lane 2 * k is of place
/// k, and lane 2 * k + 1 of place k + 4.
struct Words {
  __m512i first;
  __m512i second;
};
CRIVO_AVX512DQ inline __m128i load(const char* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}
CRIVO_AVX512DQ inline __m512i load_four(const char* const* at, std::ptrdiff_t offset) {
  __m512i four = _mm512_castsi128_si512(load(at[0] + offset));
  four = _mm512_inserti32x4(four, load(at[1] + offset), 1);
  four = _mm512_inserti32x4(four, load(at[2] + offset), 2);
  return _mm512_inserti32x4(four, load(at[3] + offset), 3);
}
CRIVO_AVX512DQ inline Words load_words(const char* const* at, std::ptrdiff_t offset) {
  const __m512i a = load_four(at, offset);
  const __m512i b = load_four(at + 4, offset);
  return {_mm512_maskz_unpacklo_epi64(0xff, a, b), _mm512_maskz_unpackhi_epi64(0xff, a, b)};
}

CRIVO_AVX512DQ inline Product multiply_words(const Words& words,
                                             const unsigned long long* secrets) {
  return multiply(_mm512_xor_si512(words.first, all(secrets[0])),
                  _mm512_xor_si512(words.second, all(secrets[1])));
}

/// xxh3::sums_of_pairs() of eight keys at a time, of the last ones some twice.
template <unsigned kPairs>
CRIVO_AVX512DQ void hash_all(const std::string_view* keys, std::span<const std::uint8_t> members,
                             const detail::xxh3::PreparedSeed& seed, Hash128* hashes) noexcept {
  for (std::size_t first = 0; first < members.size(); first += kLanes) {
    const std::size_t begin =
        std::min(first, std::max<std::size_t>(members.size(), kLanes) - kLanes);
    std::array<std::size_t, kLanes> indices;
    std::array<const char*, kLanes> begins;
    std::array<const char*, kLanes> ends;
    alignas(64) std::array<std::uint64_t, kLanes> sizes;
    for (unsigned i = 0; i < kLanes; ++i) {
      indices[i] = members[std::min(begin + i, members.size() - 1)];
      const std::string_view key = keys[indices[i]];
      begins[i] = key.data();
      ends[i] = key.data() + key.size();
      sizes[i % 4 * 2 + i / 4] = key.size();
    }
    __m512i folds = times(_mm512_load_si512(sizes.data()), kPrime1);
    __m512i upper = all(0);
    for (unsigned pair = 0; pair < kPairs; ++pair) {
      const Product left = multiply_words(load_words(begins.data(), 16 * std::ptrdiff_t{pair}),
                                          seed.secrets + 4 * pair);
      const Product right = multiply_words(load_words(ends.data(), -16 * std::ptrdiff_t{pair + 1}),
                                           seed.secrets + 4 * pair + 2);
      folds = _mm512_add_epi64(folds, _mm512_add_epi64(left.fold, right.fold));
      upper = _mm512_add_epi64(upper, _mm512_add_epi64(left.upper, right.upper));
    }
    const __m512i hi = avalanche(folds);
    const __m512i lo = avalanche(_mm512_add_epi64(upper, times(folds, kPrime2)));
    const __m512i some[2] = {_mm512_maskz_unpacklo_epi64(0xff, hi, lo),
                             _mm512_maskz_unpackhi_epi64(0xff, hi, lo)};
    for (unsigned four = 0; four < 2; ++four) {
      const auto put = [&](unsigned i, __m128i hash) CRIVO_AVX512DQ {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(&hashes[indices[4 * four + i]]), hash);
      };
      // Not _mm512_castsi512_si128(), in which gcc 12 warns of its own header: gcc bug 105593.
      put(0, _mm512_maskz_extracti32x4_epi32(0xf, some[four], 0));
      put(1, _mm512_maskz_extracti32x4_epi32(0xf, some[four], 1));
      put(2, _mm512_maskz_extracti32x4_epi32(0xf, some[four], 2));
      put(3, _mm512_maskz_extracti32x4_epi32(0xf, some[four], 3));
    }
  }
}

}  // namespace
}  // namespace crivo::hashing::pairs_avx512

namespace crivo::hashing {

const BatchHash::HashPairs* hash_pairs_avx512() noexcept {
  using pairs_avx512::hash_all;
  static constexpr BatchHash::HashPairs kOfPairs[] = {&hash_all<1>, &hash_all<2>, &hash_all<3>,
                                                      &hash_all<4>};
  return kOfPairs;
}

}  // namespace crivo::hashing

#endif
