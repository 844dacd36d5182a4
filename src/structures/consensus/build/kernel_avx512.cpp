// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include <bit>
#include <cstring>
#include <utility>

#include "structures/consensus/build/kernel.hpp"

/// As in kernel_avx2.cpp.
#define CRIVO_AVX512_VBMI2 \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,avx2,bmi,bmi2,popcnt")))

namespace crivo::consensus::kernel_avx512 {
namespace {

/// The number of the 32 lanes of a vector that are for the same child, each with a key of its own:
/// as many as leave lanes for about the children that a batch has.
constexpr unsigned keys_at_once(unsigned log_size) noexcept {
  if (log_size <= 3) return 1;
  return log_size == 6 ? 4 : 2;
}

using Indices = std::array<std::uint16_t, 32>;

CRIVO_AVX512_VBMI2 inline __m512i load(const Indices& indices) {
  return _mm512_load_si512(indices.data());
}

/// Lane l of the first 32 / keys_at_once is for child c + l / batch of state l % batch.
template <unsigned kLogSize>
struct Lanes {
  static constexpr unsigned kBatch = batch(kLogSize);
  static constexpr unsigned kCount = 32 / keys_at_once(kLogSize);

  alignas(64) Indices state{};   ///< whose child it is
  alignas(64) Indices added{};   ///< what is added to the shifted state for c = 0
  alignas(64) Indices spread{};  ///< of all lanes, the child that they are for
  std::array<std::uint32_t, kBatch + 1> of_first{};  ///< the lanes of the first `count` states

  constexpr Lanes() {
    for (unsigned l = 0; l < 32; ++l) {
      state[l] = l % kBatch;
      added[l] = static_cast<std::uint16_t>(2 * (l / kBatch) + 1);
      spread[l] = static_cast<std::uint16_t>(l * kCount / 32);
      for (unsigned count = l % kBatch + 1; l < kCount && count <= kBatch; ++count) {
        of_first[count] |= 1U << l;
      }
    }
  }
};
template <unsigned kLogSize>
constexpr Lanes<kLogSize> kLanes;

/// For each child whether it sends half of the node's keys right.
template <unsigned kLogSize>
CRIVO_AVX512_VBMI2 inline std::uint32_t halving(const std::uint16_t* node_keys,
                                                std::uint32_t node_size, __m512i children) {
  constexpr unsigned kKeys = keys_at_once(kLogSize);
  const __m512i state =
      kKeys == 1 ? children : _mm512_permutexvar_epi16(load(kLanes<kLogSize>.spread), children);
  const __m512i by = _mm512_ternarylogic_epi32(state, _mm512_slli_epi16(state, 9),
                                               _mm512_slli_epi16(state, 4), 0x96);
  const auto right = [&](std::uint32_t i) CRIVO_AVX512_VBMI2 {
    __m512i keys;
    if constexpr (kKeys == 1) keys = _mm512_set1_epi16(static_cast<short>(node_keys[i]));
    if constexpr (kKeys == 2) {
      int two = 0;
      std::memcpy(&two, node_keys + i, sizeof two);
      keys = _mm512_set1_epi32(two);
    }
    if constexpr (kKeys == 4) {
      long long four = 0;
      std::memcpy(&four, node_keys + i, sizeof four);
      keys = _mm512_set1_epi64(four);
    }
    return _mm512_srli_epi16(_mm512_mullo_epi16(by, keys), 15);
  };
  const std::uint32_t size = kLogSize < 7 ? 1U << kLogSize : node_size;
  __m512i even = _mm512_setzero_si512();
  __m512i odd = even;
#ifndef CRIVO_SANITIZED
#pragma GCC unroll 8
#endif
  for (std::uint32_t i = 0; i < size; i += 2 * kKeys) {
    even = _mm512_add_epi16(even, right(i));
    odd = _mm512_add_epi16(odd, right(i + kKeys));
  }
  const __m512i rights = _mm512_add_epi16(even, odd);
  const auto half = static_cast<int>(size / 2);
  if constexpr (kKeys == 1) {
    return _mm512_cmpeq_epi16_mask(rights, _mm512_set1_epi16(static_cast<short>(half)));
  }
  if constexpr (kKeys == 2) {
    return _mm512_cmpeq_epi32_mask(_mm512_madd_epi16(rights, _mm512_set1_epi16(1)),
                                   _mm512_set1_epi32(half));
  }
  // At most 16 a lane, so that the sum of bytes is that of lanes.
  return _mm512_cmpeq_epi64_mask(_mm512_sad_epu8(rights, _mm512_setzero_si512()),
                                 _mm512_set1_epi64(half));
}

CRIVO_AVX512_VBMI2 inline std::uint32_t append(std::uint16_t* to, __m512i lanes,
                                               std::uint32_t set) {
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi16(set, lanes));
  return static_cast<std::uint32_t>(std::popcount(set));
}

template <unsigned kLogSize>
CRIVO_AVX512_VBMI2 std::uint32_t expand(const std::uint16_t* node_keys, std::uint32_t node_size,
                                        const State* states, std::uint32_t count, unsigned bits,
                                        State* survivors) {
  static constexpr const Lanes<kLogSize>& kOf = kLanes<kLogSize>;
  constexpr unsigned kChildren = kOf.kCount / kOf.kBatch;
  const unsigned children_each = 1U << bits;
  const __m256i tried = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(states));
  const __m512i shifted =
      _mm512_sll_epi16(_mm512_permutexvar_epi16(load(kOf.state), _mm512_castsi256_si512(tried)),
                       _mm_cvtsi32_si128(static_cast<int>(bits)));
  __m512i added =
      _mm512_sub_epi16(load(kOf.added), _mm512_set1_epi16(static_cast<short>(children_each)));
  std::uint32_t found = 0;
  for (unsigned c = 0; c < children_each; c += kChildren) {
    const __m512i children = _mm512_add_epi16(shifted, added);
    std::uint32_t set = halving<kLogSize>(node_keys, node_size, children) & kOf.of_first[count];
    if (children_each - c < kChildren) set &= (1U << ((children_each - c) * kOf.kBatch)) - 1;
    found += append(survivors + found, children, set);
    added = _mm512_add_epi16(added, _mm512_set1_epi16(2 * kChildren));
  }
  return found;
}

CRIVO_AVX512_VBMI2 void split(const std::uint16_t* node_keys, const std::uint16_t* numbers,
                              std::uint32_t size, State state, std::uint16_t* order) {
  std::uint16_t right[(1U << kMaxLogKeys) + kSlack];
  const __m512i by = _mm512_set1_epi16(static_cast<short>(multiplier(state)));
  const std::uint32_t lanes = size < 32 ? (1U << size) - 1 : 0xffffffff;
  std::uint32_t lefts = 0;
  std::uint32_t rights = 0;
  for (std::uint32_t i = 0; i < size; i += 32) {
    const __m512i keys = _mm512_loadu_si512(node_keys + i);
    const __m512i here = _mm512_loadu_si512(numbers + i);
    const std::uint32_t goes_right = _mm512_movepi16_mask(_mm512_mullo_epi16(keys, by));
    lefts += append(order + lefts, here, ~goes_right & lanes);
    rights += append(right + rights, here, goes_right & lanes);
  }
  std::memcpy(order + lefts, right, rights * sizeof *right);
}

/// Thirty-two states at a time, as in kernel_avx2.cpp.
CRIVO_AVX512_VBMI2 State find(const State* states, State kept, State wanted) {
  const __m512i bits = _mm512_set1_epi16(static_cast<short>(kept));
  const __m512i value = _mm512_set1_epi16(static_cast<short>(wanted));
  for (;; states += 32) {
    const __m512i tried = _mm512_loadu_si512(states);
    const std::uint32_t equal = _mm512_cmpeq_epi16_mask(_mm512_and_si512(tried, bits), value);
    if (equal != 0) return states[std::countr_zero(equal)];
  }
}

template <unsigned... kLogSizes>
constexpr Kernel table(std::integer_sequence<unsigned, kLogSizes...>) {
  return {{nullptr, nullptr, &expand<kLogSizes + 2>...}, &split, &find};
}

}  // namespace
}  // namespace crivo::consensus::kernel_avx512

namespace crivo::consensus {

const Kernel& avx512_kernel() noexcept {
  static constexpr Kernel kKernel =
      kernel_avx512::table(std::make_integer_sequence<unsigned, kMaxLogKeys - 1>{});
  return kKernel;
}

}  // namespace crivo::consensus

#endif
