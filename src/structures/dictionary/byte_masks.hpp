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

/// Bit i: bytes[i] is at most `most`; of 64 bytes.
inline std::uint64_t at_most(const std::uint8_t* bytes, unsigned most) noexcept {
  std::uint64_t mask = 0;
#if defined(__SSE2__)
  const __m128i bound = _mm_set1_epi8(static_cast<char>(most));
  for (int i = 0; i < 4; ++i) {
    __m128i some;
    std::memcpy(&some, bytes + 16 * i, sizeof some);
    const int is = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(some, bound), some));
    mask |= static_cast<std::uint64_t>(static_cast<unsigned>(is)) << (16 * i);
  }
#else
  for (unsigned i = 0; i < 64; ++i) mask |= std::uint64_t{bytes[i] <= most} << i;
#endif
  return mask;
}

/// The sum of bytes[begin] to bytes[end - 1].
inline std::uint32_t sum_bytes(const std::uint8_t* bytes, std::size_t begin,
                               std::size_t end) noexcept {
  std::uint32_t sum = 0;
  for (; begin + 8 <= end; begin += 8) {
    const auto word = base::load_le<std::uint64_t>(bytes + begin);
    const std::uint64_t pairs = (word & 0x00ff00ff00ff00ffU) + (word >> 8 & 0x00ff00ff00ff00ffU);
    sum += static_cast<std::uint32_t>(pairs * 0x0001000100010001U >> 48);
  }
  for (; begin < end; ++begin) sum += bytes[begin];
  return sum;
}

/// Unpacks fields of `width` (0 to 8) bits from bit `bit` on, and adds `least` to each: into bytes,
/// for a multiple of 8 of at least `count` of them. Reads less than 8 bytes behind the last.
inline void unpack_bytes(const std::byte* from, std::size_t bit, unsigned width, std::size_t count,
                         unsigned least, std::uint8_t* to) noexcept {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  const std::uint64_t one = (1U << width) - 1;
  // Fields are spread over the word by halves: four and four, two and two, one and one.
  const std::uint64_t four = (std::uint64_t{1} << (4 * width)) - 1;
  const std::uint64_t two = ((std::uint64_t{1} << (2 * width)) - 1) * 0x0000000100000001U;
  const std::uint64_t single = one * 0x0001000100010001U;
  const std::uint64_t add = least * kOnes;
  for (std::size_t i = 0; i < count; i += 8, bit += 8 * std::size_t{width}) {
    const unsigned shift = bit % 8;
    std::uint64_t word = base::load_le<std::uint64_t>(from + bit / 8) >> shift;
    if (width == 8 && shift != 0)
      word |= static_cast<std::uint64_t>(from[bit / 8 + 8]) << (64 - shift);
    word = (word & four) | (word >> (4 * width) & four) << 32;
    word = (word & two) | (word >> (2 * width) & two) << 16;
    word = (word & single) | (word >> width & single) << 8;
    base::store_le(to + i, word + add);
  }
}

}  // namespace crivo::dictionary
