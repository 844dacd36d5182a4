// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include "structures/ribbon/build/columns.hpp"
#include "structures/ribbon/rows.hpp"

#define CRIVO_AVX512_POPCNT \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vpopcntdq,avx2,bmi,bmi2")))

namespace crivo::ribbon::columns_avx512 {
namespace {

template <typename Value>
CRIVO_AVX512_POPCNT void solve(const std::uint64_t* coefficients, const Value* values,
                               const LayerForm& form, std::byte* blocks) noexcept {
  constexpr unsigned kGroups = sizeof(Value);  // of eight columns
  const __m512i one = _mm512_set1_epi64(1);
  __m512i last[kGroups];  // bit t of lane j: column j of the slot t after the one in turn
  for (__m512i& group : last) group = _mm512_setzero_si512();
  const auto lanes = [](unsigned columns, unsigned group) CRIVO_AVX512_POPCNT {
    return static_cast<__mmask8>(columns <= 8 * group ? 0 : _bzhi_u32(0xff, columns - 8 * group));
  };
  std::byte* end = blocks + form.bytes();
  for (std::uint64_t slot = form.slots; slot-- != 0;) {
    const __m512i later = _mm512_set1_epi64(static_cast<long long>(coefficients[slot] >> 1));
    const std::uint64_t value = values[slot];
    for (unsigned group = 0; group < kGroups; ++group) {
      const auto bits = static_cast<__mmask8>(value >> (8 * group));
      const __m512i counts = _mm512_popcnt_epi64(_mm512_and_si512(last[group], later));
      const __m512i sides = _mm512_or_si512(_mm512_maskz_slli_epi64(0xff, last[group], 1),
                                            _mm512_maskz_mov_epi64(bits, one));
      last[group] = _mm512_ternarylogic_epi64(sides, counts, one, 0x78);  // sides ^ (counts & one)
    }
    if (slot % kBlockSlots != 0) continue;
    const unsigned columns = form.width - (slot / kBlockSlots < form.narrow_blocks ? 1 : 0);
    end -= columns;
    for (unsigned group = 0; group < kGroups; ++group) {
      _mm512_mask_cvtepi64_storeu_epi8(end + 8 * group, lanes(columns, group), last[group]);
    }
  }
}

}  // namespace
}  // namespace crivo::ribbon::columns_avx512

namespace crivo::ribbon {

template <typename Value>
SolveColumns<Value> solve_columns_avx512() noexcept {
  return columns_avx512::solve<Value>;
}

template SolveColumns<std::uint8_t> solve_columns_avx512() noexcept;
template SolveColumns<std::uint16_t> solve_columns_avx512() noexcept;
template SolveColumns<std::uint32_t> solve_columns_avx512() noexcept;
template SolveColumns<std::uint64_t> solve_columns_avx512() noexcept;

}  // namespace crivo::ribbon

#endif
