/// Finding delimiters 64 bytes at a time.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace crivo::input {

/// Bit i says whether bytes[i] is `delimiter`, of 64 bytes. (With keys of tens of bytes a call of
/// memchr for each costs more than their hashes.)
inline std::uint64_t delimiter_mask(const char* bytes, char delimiter) noexcept {
  std::uint64_t mask = 0;
#if defined(__SSE2__)
  const __m128i wanted = _mm_set1_epi8(delimiter);
  for (unsigned i = 0; i < 4; ++i) {
    const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * i));
    const auto equal = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(some, wanted)));
    mask |= std::uint64_t{equal} << (16 * i);
  }
#else
  for (unsigned i = 0; i < 64; ++i) mask |= std::uint64_t{bytes[i] == delimiter} << i;
#endif
  return mask;
}

}  // namespace crivo::input
