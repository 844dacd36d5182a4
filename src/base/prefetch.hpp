// SPDX-License-Identifier: Apache-2.0
/// Memory that is asked for ahead of its use.
#pragma once

#include <algorithm>
#include <cstddef>

namespace crivo::base {

inline constexpr std::size_t kCacheLine = 64;

/// Asks for the lines of `size` bytes, the first `most` of them at most: the system's own
/// read-ahead follows a longer run. Inlined by force: GCC takes a function that only prefetches
/// for one without effect, and leaves calls of it out.
[[gnu::always_inline]] inline void prefetch_lines(const std::byte* begin, std::size_t size,
                                                  std::size_t most = 16) noexcept {
  const std::size_t bytes = std::min(size, most * kCacheLine);
  for (std::size_t at = 0; at < bytes; at += kCacheLine) __builtin_prefetch(begin + at);
  if (bytes != 0) __builtin_prefetch(begin + bytes - 1);
}

}  // namespace crivo::base
