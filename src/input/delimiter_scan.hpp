// SPDX-License-Identifier: Apache-2.0
/// Finding and counting delimiters 64 bytes at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace crivo::input {

/// How many of the bytes are `delimiter`. (What GCC makes of std::count adds 64-bit numbers.)
inline std::uint64_t count_delimiters(std::span<const char> bytes, char delimiter) noexcept {
  std::uint64_t count = 0;
#if defined(__SSE2__)
  constexpr std::size_t kVector = sizeof(__m128i);
  constexpr std::size_t kMostAdded = UINT8_MAX;  // to a byte that counts
  const __m128i wanted = _mm_set1_epi8(delimiter);
  const __m128i zero = _mm_setzero_si128();
  while (bytes.size() >= 4 * kVector) {
    __m128i counts[4] = {zero, zero, zero, zero};
    const std::size_t blocks = std::min(bytes.size() / (4 * kVector), kMostAdded);
    for (std::size_t b = 0; b < blocks; ++b) {
      for (std::size_t i = 0; i < 4; ++i) {
        const __m128i some =
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + kVector * (4 * b + i)));
        counts[i] = _mm_sub_epi8(counts[i], _mm_cmpeq_epi8(some, wanted));
      }
    }
    for (const __m128i bytewise : counts) {
      const __m128i sums = _mm_sad_epu8(bytewise, zero);
      count += static_cast<std::uint64_t>(_mm_extract_epi16(sums, 0) + _mm_extract_epi16(sums, 4));
    }
    bytes = bytes.subspan(4 * kVector * blocks);
  }
#endif
  return count + static_cast<std::uint64_t>(std::ranges::count(bytes, delimiter));
}

/// Finds the delimiters of fewer than 2^32 bytes, some hundreds at a time: apart from what is done
/// at each, since how many there are in 64 bytes is what a processor predicts worst. (With keys of
/// tens of bytes a call of memchr for each costs more than their hashes.)
class DelimiterScan {
 public:
  DelimiterScan(std::string_view bytes, char delimiter);

  /// Where the next ones are, ascending: none after the last. Valid until the next call.
  std::span<const std::uint32_t> next() noexcept {
    return std::span(ends_).first(find_(bytes_, delimiter_, at_, ends_));
  }

  static constexpr std::size_t kBlock = 64;  ///< bytes that are looked at together
  static constexpr std::size_t kGoal = 256;  ///< so many are found at a time, and some more
  /// With room for what is written beyond those that are found.
  using Ends = std::array<std::uint32_t, kGoal + 2 * kBlock>;
  /// Puts the delimiters from `at` on into `ends`, until there are more than kGoal, and goes on
  /// with `at`, a multiple of kBlock until it is the end; returns how many they are.
  using Find = std::size_t (*)(std::string_view bytes, char delimiter, std::size_t& at,
                               Ends& ends) noexcept;

 private:
  std::string_view bytes_;
  char delimiter_;
  Find find_;
  std::size_t at_ = 0;  ///< the first byte not looked at
  Ends ends_;
};

/// A DelimiterScan::Find for processors with base::Cpu::avx512 and VBMI2; only where the target is
/// x86-64.
std::size_t find_delimiters_avx512(std::string_view bytes, char delimiter, std::size_t& at,
                                   DelimiterScan::Ends& ends) noexcept;

}  // namespace crivo::input
