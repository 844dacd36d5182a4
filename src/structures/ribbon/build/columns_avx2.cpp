// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "structures/ribbon/build/columns.hpp"
#include "structures/ribbon/rows.hpp"

#define CRIVO_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

namespace crivo::ribbon::columns_avx2 {
namespace {

/// The parity of each word in its bit 0; other bits are as they happen to be.
CRIVO_AVX2 inline __m256i parities(__m256i words) {
  // The parity of each byte is that of its nibbles' sum, looked up; a word's eight are counted.
  const __m256i odd =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0));
  const __m256i nibbles =
      _mm256_and_si256(_mm256_xor_si256(words, _mm256_srli_epi64(words, 4)), _mm256_set1_epi8(15));
  return _mm256_sad_epu8(_mm256_shuffle_epi8(odd, nibbles), _mm256_setzero_si256());
}

template <typename Value>
CRIVO_AVX2 void solve(const std::uint64_t* coefficients, const Value* values, const LayerForm& form,
                      std::byte* blocks) noexcept {
  constexpr unsigned kGroups = 2 * sizeof(Value);  // of four columns
  const __m256i one = _mm256_set1_epi64x(1);
  const __m256i lanes = _mm256_setr_epi64x(0, 1, 2, 3);
  __m256i last[kGroups];  // bit t of lane j: column j of the slot t after the one in turn
  for (__m256i& group : last) group = _mm256_setzero_si256();
  std::byte* end = blocks + form.bytes();
  for (std::uint64_t slot = form.slots; slot-- != 0;) {
    const __m256i later = _mm256_set1_epi64x(static_cast<long long>(coefficients[slot] >> 1));
    const std::uint64_t value = values[slot];
    for (unsigned group = 0; group < kGroups; ++group) {
      const __m256i bits = _mm256_srlv_epi64(
          _mm256_set1_epi64x(static_cast<long long>(value >> (4 * group))), lanes);
      const __m256i sum = _mm256_xor_si256(bits, parities(_mm256_and_si256(last[group], later)));
      last[group] = _mm256_or_si256(_mm256_slli_epi64(last[group], 1), _mm256_and_si256(sum, one));
    }
    if (slot % kBlockSlots != 0) continue;
    const unsigned columns = form.width - (slot / kBlockSlots < form.narrow_blocks ? 1 : 0);
    end -= columns;
    std::uint64_t words[4 * kGroups];
    std::memcpy(words, last, sizeof words);
    for (unsigned j = 0; j < columns; ++j) end[j] = static_cast<std::byte>(words[j]);
  }
}

}  // namespace
}  // namespace crivo::ribbon::columns_avx2

namespace crivo::ribbon {

template <typename Value>
SolveColumns<Value> solve_columns_avx2() noexcept {
  return columns_avx2::solve<Value>;
}

template SolveColumns<std::uint8_t> solve_columns_avx2() noexcept;
template SolveColumns<std::uint16_t> solve_columns_avx2() noexcept;
template SolveColumns<std::uint32_t> solve_columns_avx2() noexcept;
template SolveColumns<std::uint64_t> solve_columns_avx2() noexcept;

}  // namespace crivo::ribbon

#endif
