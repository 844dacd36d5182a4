// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstdint>
#include <numeric>

#include "input/delimiter_scan.hpp"

/// As in structures/phast/build/kernel_avx2.cpp.
#define CRIVO_AVX512_VBMI2 \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,avx2,bmi,bmi2,popcnt")))

namespace crivo::input {
namespace {

constexpr std::size_t kBlock = DelimiterScan::kBlock;

constexpr std::array<std::uint8_t, kBlock> kPlaces = [] {
  std::array<std::uint8_t, kBlock> places{};
  std::iota(places.begin(), places.end(), std::uint8_t{0});
  return places;
}();

}  // namespace

/// The places of a block's delimiters are its bytes' places, without those of other bytes.
CRIVO_AVX512_VBMI2 std::size_t find_delimiters_avx512(std::string_view bytes, char delimiter,
                                                      std::size_t& at,
                                                      DelimiterScan::Ends& ends) noexcept {
  constexpr unsigned kTogether = 16;
  const __m512i wanted = _mm512_set1_epi8(delimiter);
  const __m512i all = _mm512_loadu_si512(kPlaces.data());
  std::size_t found = 0;
  for (; found <= DelimiterScan::kGoal && at < bytes.size(); at += kBlock) {
    const std::size_t left = bytes.size() - at;
    const __mmask64 read = left < kBlock ? (__mmask64{1} << left) - 1 : ~__mmask64{0};
    const __m512i block = _mm512_maskz_loadu_epi8(read, bytes.data() + at);
    const __mmask64 mask = _mm512_mask_cmpeq_epi8_mask(read, block, wanted);
    __m512i places = _mm512_maskz_compress_epi8(mask, all);
    const __m512i begin = _mm512_set1_epi32(static_cast<int>(at));
    const auto count = static_cast<unsigned>(std::popcount(mask));
    for (unsigned put = 0;; put += kTogether) {
      // Not _mm512_castsi512_si128(), in which gcc 12 warns of its own header: gcc bug 105593.
      const __m512i some =
          _mm512_maskz_cvtepu8_epi32(0xffff, _mm512_maskz_extracti32x4_epi32(0xf, places, 0));
      _mm512_storeu_si512(&ends[found + put], _mm512_add_epi32(some, begin));
      if (count <= put + kTogether) break;
      places = _mm512_maskz_shuffle_i64x2(0xff, places, places, 0b00'11'10'01);
    }
    found += count;
  }
  return found;
}

}  // namespace crivo::input

#endif
