// SPDX-License-Identifier: Apache-2.0
/// Finding and counting delimiters 64 bytes at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

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
/// at each, since how many there are in 64 bytes is what a processor predicts worst.
class DelimiterScan {
 public:
  DelimiterScan(std::string_view bytes, char delimiter) noexcept
      : bytes_(bytes), delimiter_(delimiter) {}

  /// Where the next ones are, ascending: none after the last. Valid until the next call.
  std::span<const std::uint32_t> next() noexcept {
    std::size_t found = 0;
    while (found <= kGoal && at_ < bytes_.size()) {
      std::uint64_t mask = next_mask();
      do {
        // So many without a branch: enough for most lines of tens of bytes.
        for (unsigned i = 0; i < kTogether; ++i) {
          const int bit = std::countr_zero(mask | std::uint64_t{1} << 63);
          ends_[found] = static_cast<std::uint32_t>(at_) + static_cast<std::uint32_t>(bit);
          found += mask != 0 ? 1 : 0;
          mask &= mask - 1;
        }
      } while (mask != 0);
      at_ += kBlock;
    }
    return std::span(ends_).first(found);
  }

 private:
  static constexpr std::size_t kBlock = 64;
  static constexpr std::size_t kGoal = 256;
  static constexpr unsigned kTogether = 3;

  std::uint64_t next_mask() const noexcept {
    const std::size_t left = bytes_.size() - at_;
    if (left >= kBlock) return delimiter_mask(bytes_.data() + at_, delimiter_);
    std::array<char, kBlock> last{};
    bytes_.copy(last.data(), left, at_);
    return delimiter_mask(last.data(), delimiter_) & ((std::uint64_t{1} << left) - 1);
  }

  std::string_view bytes_;
  char delimiter_;
  std::size_t at_ = 0;  ///< the first byte not looked at
  std::array<std::uint32_t, kGoal + kBlock + kTogether> ends_;
};

}  // namespace crivo::input
