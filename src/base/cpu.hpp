// SPDX-License-Identifier: Apache-2.0
/// The processor: which of the hand-written kernels this process runs, and memory that is asked for
/// ahead of its use. The kernels of a task differ in speed only: the bytes written and the answers
/// given are the same on every machine.
#pragma once

#include <algorithm>
#include <cstddef>

namespace crivo::base {

/// Instruction sets for which there are kernels, each including the ones before it.
enum class Cpu {
  portable,  ///< what the compiler makes of plain C++ for its target
  avx2,      ///< x86-64-v3: AVX2, BMI1, BMI2, POPCNT
  avx512,    ///< of x86-64-v4: AVX-512 F, BW, DQ and VL
};

/// The best set that this processor has. The environment variable CRIVO_CPU=portable|avx2|avx512,
/// read once, names the best one that may be used, so that tests reach the kernels below; throws
/// Error(usage) at another value.
Cpu cpu();

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
