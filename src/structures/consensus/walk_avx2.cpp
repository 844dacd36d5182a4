// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include "structures/consensus/walk.hpp"

#define CRIVO_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

namespace crivo::consensus {
namespace {

CRIVO_AVX2 inline __m256i splat(std::uint32_t value) {
  return _mm256_set1_epi32(static_cast<int>(value));
}

/// Eight walks, a lane each.
struct Eight {
  __m256i offset;       ///< of the tree from the first byte
  __m256i key_bits[4];  ///< for levels 0 to 3, and so on in turn; the upper halves are 0
  __m256i node;
};

CRIVO_AVX2 inline Eight start(const std::byte* begin, const std::byte* const* trees,
                              const std::uint64_t* materials) {
  alignas(32) std::uint32_t offsets[8];
  alignas(32) std::uint32_t lows[8];
  alignas(32) std::uint32_t highs[8];
  for (std::size_t i = 0; i < 8; ++i) {
    offsets[i] = static_cast<std::uint32_t>(trees[i] - begin);
    lows[i] = static_cast<std::uint32_t>(materials[i]);
    highs[i] = static_cast<std::uint32_t>(materials[i] >> 32);
  }
  const __m256i low = _mm256_load_si256(reinterpret_cast<const __m256i*>(lows));
  const __m256i high = _mm256_load_si256(reinterpret_cast<const __m256i*>(highs));
  const __m256i sixteen = splat(0xffff);
  return {_mm256_load_si256(reinterpret_cast<const __m256i*>(offsets)),
          {_mm256_and_si256(low, sixteen), _mm256_srli_epi32(low, 16),
           _mm256_and_si256(high, sixteen), _mm256_srli_epi32(high, 16)},
          _mm256_setzero_si256()};
}

CRIVO_AVX2 inline void descend(Eight& walks, const std::byte* begin, const LevelPlace& level_place,
                               unsigned level, __m256i state_mask) {
  const __m256i area = splat(level_place.area);
  const __m256i end = _mm256_srl_epi32(_mm256_add_epi32(_mm256_mullo_epi32(walks.node, area), area),
                                       _mm_cvtsi32_si128(static_cast<int>(level)));
  const __m256i place = _mm256_sub_epi32(splat(level_place.top), end);
  const __m256i byte = _mm256_add_epi32(walks.offset, _mm256_srli_epi32(place, 3));
  const __m256i bits = _mm256_i32gather_epi32(reinterpret_cast<const int*>(begin), byte, 1);
  const __m256i window = _mm256_srlv_epi32(bits, _mm256_and_si256(place, splat(7)));
  const __m256i state =
      _mm256_and_si256(_mm256_or_si256(_mm256_slli_epi32(window, 1), splat(1)), state_mask);
  const __m256i multiplier = _mm256_xor_si256(_mm256_xor_si256(state, _mm256_slli_epi32(state, 9)),
                                              _mm256_slli_epi32(state, 4));
  const __m256i product = _mm256_mullo_epi16(multiplier, walks.key_bits[level % 4]);
  walks.node =
      _mm256_add_epi32(_mm256_add_epi32(walks.node, walks.node), _mm256_srli_epi32(product, 15));
}

}  // namespace

/// Two times eight, so that one does not wait for the other's loads.
CRIVO_AVX2 void Trees::avx2_group(const Trees& shared, const std::byte* const* trees,
                                  const std::uint64_t* materials, std::uint32_t* pairs) noexcept {
  Eight first = start(shared.begin_, trees, materials);
  Eight second = start(shared.begin_, trees + 8, materials + 8);
  __m256i state_mask = splat(shared.first_state_);
  for (unsigned level = 0; level < shared.levels_; ++level) {
    descend(first, shared.begin_, shared.places_[level], level, state_mask);
    descend(second, shared.begin_, shared.places_[level], level, state_mask);
    state_mask = splat(~0U);
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(pairs), first.node);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(pairs + 8), second.node);
}

}  // namespace crivo::consensus

#endif
