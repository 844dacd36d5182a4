// SPDX-License-Identifier: Apache-2.0
/// Small numbers, a byte each, eight or more at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/bytes.hpp"

namespace crivo::dictionary {

/// Two words that are worked on at once.
using Words = std::uint64_t __attribute__((vector_size(16)));

/// Masks of 64 bytes: bit i of `below` says that bytes[i] is below `bound` (0 to 255), of `same`
/// that it is `bound`.
struct Masks {
  std::uint64_t below = 0;
  std::uint64_t same = 0;
};

inline Masks compare_bytes(const std::uint8_t* bytes, unsigned bound) noexcept {
  Masks masks;
#if defined(__SSE2__)
  const __m128i with = _mm_set1_epi8(static_cast<char>(bound));
  for (int i = 0; i < 4; ++i) {
    __m128i some;
    std::memcpy(&some, bytes + 16 * i, sizeof some);
    const __m128i same = _mm_cmpeq_epi8(some, with);
    const __m128i at_most = _mm_cmpeq_epi8(_mm_min_epu8(some, with), some);
    const auto mask = [&](__m128i is) {
      const auto bits = static_cast<unsigned>(_mm_movemask_epi8(is));
      return static_cast<std::uint64_t>(bits) << (16 * i);
    };
    masks.same |= mask(same);
    masks.below |= mask(_mm_andnot_si128(same, at_most));
  }
#else
  for (unsigned i = 0; i < 64; ++i) {
    masks.below |= std::uint64_t{bytes[i] < bound} << i;
    masks.same |= std::uint64_t{bytes[i] == bound} << i;
  }
#endif
  return masks;
}

/// sums[i] = first + bytes[0] + ... + bytes[i], for a multiple of 8 of at least `count` bytes, as
/// far as 16 bits hold it. Returns the sum of all these.
inline std::uint16_t sum_bytes(const std::uint8_t* bytes, std::size_t count, std::uint16_t first,
                               std::uint16_t* sums) noexcept {
  std::uint16_t last = first;
#if defined(__SSE2__)
  __m128i before = _mm_set1_epi16(static_cast<short>(first));
  for (std::size_t i = 0; i < count; i += 8) {
    __m128i sum = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes + i));
    sum = _mm_unpacklo_epi8(sum, _mm_setzero_si128());
    sum = _mm_add_epi16(sum, _mm_slli_si128(sum, 2));
    sum = _mm_add_epi16(sum, _mm_slli_si128(sum, 4));
    sum = _mm_add_epi16(sum, _mm_slli_si128(sum, 8));
    sum = _mm_add_epi16(sum, before);
    std::memcpy(sums + i, &sum, sizeof sum);
    before = _mm_shuffle_epi32(_mm_shufflehi_epi16(sum, 0xff), 0xff);
  }
  last = static_cast<std::uint16_t>(_mm_cvtsi128_si32(before));
#else
  for (std::size_t i = 0; i < (count + 7) / 8 * 8; ++i)
    sums[i] = last = static_cast<std::uint16_t>(last + bytes[i]);
#endif
  return last;
}

/// Unpacks fields of `width` (0 to 8) bits from bit `bit` on, and adds `least` to each: into bytes,
/// for a multiple of 16 of at least `count` of them. Reads less than 24 bytes behind the last.
inline void unpack_bytes(const std::byte* from, std::size_t bit, unsigned width, std::size_t count,
                         unsigned least, std::uint8_t* to) noexcept {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  const std::uint64_t one = (1U << width) - 1;
  // Fields are spread over the word by halves: four and four, two and two, one and one. Eight of
  // them take `width` whole bytes, so that each word begins at the same bit of its first byte.
  const std::uint64_t four = (std::uint64_t{1} << (4 * width)) - 1;
  const std::uint64_t two = ((std::uint64_t{1} << (2 * width)) - 1) * 0x0000000100000001U;
  const std::uint64_t single = one * 0x0001000100010001U;
  const std::uint64_t add = least * kOnes;
  const unsigned shift = bit % 8;
  from += bit / 8;
  if (width == 8) [[unlikely]] {
    for (std::size_t i = 0; i < count; i += 8, from += 8) {
      std::uint64_t word = base::load_le<std::uint64_t>(from) >> shift;
      if (shift != 0) word |= static_cast<std::uint64_t>(from[8]) << (64 - shift);
      base::store_le(to + i, word + add);
    }
    return;
  }
  for (std::size_t i = 0; i < count; i += 16, from += 2 * width) {
    Words words{base::load_le<std::uint64_t>(from), base::load_le<std::uint64_t>(from + width)};
    words >>= shift;
    words = (words & four) | (words >> (4 * width) & four) << 32;
    words = (words & two) | (words >> (2 * width) & two) << 16;
    words = (words & single) | (words >> width & single) << 8;
    words += add;
    base::store_le(to + i, std::uint64_t{words[0]});
    base::store_le(to + i + 8, std::uint64_t{words[1]});
  }
}

}  // namespace crivo::dictionary
