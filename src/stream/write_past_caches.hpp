// SPDX-License-Identifier: Apache-2.0
/// Writes whole cache lines to memory that is not read soon.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace crivo::stream {

/// Copies kBytes from `from` to `to`, both aligned to cache lines. Where the processor can, the
/// lines are written without being read first, and leave the caches to others; another thread sees
/// them once this one did a locked operation.
template <std::size_t kBytes>
[[gnu::always_inline]] inline void write_past_caches(void* to, const void* from) noexcept {
  static_assert(kBytes % 64 == 0);
#if defined(__SSE2__)
  auto* const target = static_cast<__m128i*>(to);
  const auto* const source = static_cast<const __m128i*>(from);
  for (std::size_t i = 0; i < kBytes / sizeof(__m128i); ++i) {
    _mm_stream_si128(target + i, _mm_load_si128(source + i));
  }
#else
  std::memcpy(to, from, kBytes);
#endif
}

}  // namespace crivo::stream
