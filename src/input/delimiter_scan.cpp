// SPDX-License-Identifier: Apache-2.0
#include "input/delimiter_scan.hpp"

#include <bit>

#include "base/cpu.hpp"

namespace crivo::input {
namespace {

constexpr std::size_t kBlock = DelimiterScan::kBlock;

/// Bit i says whether bytes[i] is `delimiter`, of kBlock bytes.
std::uint64_t delimiter_mask(const char* bytes, char delimiter) noexcept {
  std::uint64_t mask = 0;
#if defined(__SSE2__)
  const __m128i wanted = _mm_set1_epi8(delimiter);
  for (unsigned i = 0; i < 4; ++i) {
    const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * i));
    const auto equal = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(some, wanted)));
    mask |= std::uint64_t{equal} << (16 * i);
  }
#else
  for (unsigned i = 0; i < kBlock; ++i) mask |= std::uint64_t{bytes[i] == delimiter} << i;
#endif
  return mask;
}

/// The same of the bytes from `at` on, of which there may be fewer.
std::uint64_t next_mask(std::string_view bytes, std::size_t at, char delimiter) noexcept {
  const std::size_t left = bytes.size() - at;
  if (left >= kBlock) return delimiter_mask(bytes.data() + at, delimiter);
  std::array<char, kBlock> last{};
  bytes.copy(last.data(), left, at);
  return delimiter_mask(last.data(), delimiter) & ((std::uint64_t{1} << left) - 1);
}

std::size_t find_portably(std::string_view bytes, char delimiter, std::size_t& at,
                          DelimiterScan::Ends& ends) noexcept {
  constexpr unsigned kTogether = 3;
  std::size_t found = 0;
  for (; found <= DelimiterScan::kGoal && at < bytes.size(); at += kBlock) {
    std::uint64_t mask = next_mask(bytes, at, delimiter);
    do {
      // So many without a branch: enough for most lines of tens of bytes.
      for (unsigned i = 0; i < kTogether; ++i) {
        const int bit = std::countr_zero(mask | std::uint64_t{1} << 63);
        ends[found] = static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(bit);
        found += mask != 0 ? 1 : 0;
        mask &= mask - 1;
      }
    } while (mask != 0);
  }
  return found;
}

DelimiterScan::Find find_for_processor() {
#if defined(__x86_64__)
  if (base::cpu() == base::Cpu::avx512 && __builtin_cpu_supports("avx512vbmi2"))
    return &find_delimiters_avx512;
#endif
  return &find_portably;
}

}  // namespace

DelimiterScan::DelimiterScan(std::string_view bytes, char delimiter)
    : bytes_(bytes), delimiter_(delimiter) {
  static const Find kFind = find_for_processor();
  find_ = kFind;
}

}  // namespace crivo::input
