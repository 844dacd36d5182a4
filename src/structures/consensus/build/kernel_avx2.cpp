// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "structures/consensus/build/kernel.hpp"

/// Each function that uses more than the baseline says so for itself: a processor flag for the
/// whole file would also reach the inline functions of its headers, of which the linker keeps any
/// copy.
#define CRIVO_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

namespace crivo::consensus::kernel_avx2 {
namespace {

/// For each set of eight 16-bit lanes the shuffle that brings them to the front.
struct Compressions {
  alignas(16) std::array<std::array<std::uint8_t, 16>, 256> shuffles{};

  constexpr Compressions() {
    for (unsigned set = 0; set < 256; ++set) {
      unsigned to = 0;
      for (unsigned lane = 0; lane < 8; ++lane) {
        if ((set >> lane & 1) == 0) continue;
        shuffles[set][to++] = static_cast<std::uint8_t>(2 * lane);
        shuffles[set][to++] = static_cast<std::uint8_t>(2 * lane + 1);
      }
      while (to < 16) shuffles[set][to++] = 0x80;
    }
  }
};
constexpr Compressions kCompressions;

CRIVO_AVX2 inline __m128i compress(__m128i lanes, std::uint32_t set) {
  const auto* shuffle = reinterpret_cast<const __m128i*>(kCompressions.shuffles[set].data());
  return _mm_shuffle_epi8(lanes, _mm_load_si128(shuffle));
}

CRIVO_AVX2 inline std::uint32_t append(State* to, __m128i lanes, std::uint32_t set) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), compress(lanes, set));
  return static_cast<std::uint32_t>(std::popcount(set));
}

/// The first kBatch states, again and again.
template <unsigned kBatch>
CRIVO_AVX2 inline __m256i repeat(const State* states) {
  if constexpr (kBatch == 16) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(states));
  if constexpr (kBatch == 8) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(states)));
  }
  static_assert(kBatch >= 4);
  long long four = 0;
  std::memcpy(&four, states, sizeof four);
  return _mm256_set1_epi64x(four);
}

/// Lane l of kLanes is for child c + l / kBatch of state l % kBatch: what those add to the shifted
/// state, and the lanes of the first `count` states.
template <unsigned kBatch, unsigned kLanes>
struct Lanes {
  alignas(32) std::array<std::uint16_t, kLanes> added{};
  std::array<std::uint32_t, kBatch + 1> of_first{};

  constexpr Lanes() {
    for (unsigned l = 0; l < kLanes; ++l) {
      added[l] = static_cast<std::uint16_t>(2 * (l / kBatch) + 1);
      for (unsigned count = l % kBatch + 1; count <= kBatch; ++count) of_first[count] |= 1U << l;
    }
  }
};

/// For each of sixteen children whether it sends half of a small node's keys right.
template <unsigned kLogSize>
CRIVO_AVX2 inline std::uint32_t halving(const std::uint16_t* node_keys, __m256i children) {
  const __m256i by = _mm256_xor_si256(_mm256_xor_si256(children, _mm256_slli_epi16(children, 9)),
                                      _mm256_slli_epi16(children, 4));
  const auto right = [&](std::uint32_t i) CRIVO_AVX2 {
    const __m256i key = _mm256_set1_epi16(static_cast<short>(node_keys[i]));
    return _mm256_srli_epi16(_mm256_mullo_epi16(by, key), 15);
  };
  __m256i even = _mm256_setzero_si256();
  __m256i odd = even;
#ifndef CRIVO_SANITIZED
#pragma GCC unroll 16
#endif
  for (std::uint32_t i = 0; i < 1U << kLogSize; i += 2) {
    even = _mm256_add_epi16(even, right(i));
    odd = _mm256_add_epi16(odd, right(i + 1));
  }
  const __m256i equal =
      _mm256_cmpeq_epi16(_mm256_add_epi16(even, odd), _mm256_set1_epi16(1 << (kLogSize - 1)));
  const __m128i bytes =
      _mm_packs_epi16(_mm256_castsi256_si128(equal), _mm256_extracti128_si256(equal, 1));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
}

/// Sixteen children at a time, of the several states of a small node.
template <unsigned kLogSize>
CRIVO_AVX2 std::uint32_t expand(const std::uint16_t* node_keys, std::uint32_t /*node_size*/,
                                const State* states, std::uint32_t count, unsigned bits,
                                State* survivors) {
  constexpr unsigned kBatch = batch(kLogSize);
  constexpr unsigned kChildren = 16 / kBatch;
  static constexpr Lanes<kBatch, 16> kOf;
  const unsigned children_each = 1U << bits;
  const __m256i shifted =
      _mm256_sll_epi16(repeat<kBatch>(states), _mm_cvtsi32_si128(static_cast<int>(bits)));
  __m256i added =
      _mm256_sub_epi16(_mm256_load_si256(reinterpret_cast<const __m256i*>(kOf.added.data())),
                       _mm256_set1_epi16(static_cast<short>(children_each)));
  std::uint32_t found = 0;
  for (unsigned c = 0; c < children_each; c += kChildren) {
    const __m256i children = _mm256_add_epi16(shifted, added);
    std::uint32_t set = halving<kLogSize>(node_keys, children) & kOf.of_first[count];
    if (children_each - c < kChildren) set &= (1U << ((children_each - c) * kBatch)) - 1;
    found += append(survivors + found, _mm256_castsi256_si128(children), set & 0xff);
    found += append(survivors + found, _mm256_extracti128_si256(children, 1), set >> 8);
    added = _mm256_add_epi16(added, _mm256_set1_epi16(2 * kChildren));
  }
  return found;
}

/// For each of eight children whether it sends half of a large node's keys right. Two keys at a
/// time: 32 bits of memory fill a vector without a shuffle, where 16 need one. Eight and not
/// sixteen, as a node of 64 keys has mostly eight children.
template <unsigned kLogSize>
CRIVO_AVX2 inline std::uint32_t halving_large(const std::uint16_t* node_keys,
                                              std::uint32_t node_size, __m128i children) {
  const __m128i by = _mm_xor_si128(_mm_xor_si128(children, _mm_slli_epi16(children, 9)),
                                   _mm_slli_epi16(children, 4));
  const __m256i once = _mm256_cvtepu16_epi32(by);
  const __m256i twice = _mm256_or_si256(once, _mm256_slli_epi32(once, 16));
  const auto right = [&](std::uint32_t i) CRIVO_AVX2 {
    int two = 0;
    std::memcpy(&two, node_keys + i, sizeof two);
    return _mm256_srli_epi16(_mm256_mullo_epi16(twice, _mm256_set1_epi32(two)), 15);
  };
  const std::uint32_t size = kLogSize < 7 ? 1U << kLogSize : node_size;
  __m256i even = _mm256_setzero_si256();
  __m256i odd = even;
#ifndef CRIVO_SANITIZED
#pragma GCC unroll 4
#endif
  for (std::uint32_t i = 0; i < size; i += 4) {
    even = _mm256_add_epi16(even, right(i));
    odd = _mm256_add_epi16(odd, right(i + 2));
  }
  const __m256i sums = _mm256_madd_epi16(_mm256_add_epi16(even, odd), _mm256_set1_epi16(1));
  const __m256i equal = _mm256_cmpeq_epi32(sums, _mm256_set1_epi32(static_cast<int>(size / 2)));
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
}

/// The states of a large node: one, or two.
template <unsigned kBatch>
CRIVO_AVX2 inline __m128i repeat_few(const State* states) {
  if constexpr (kBatch == 1) return _mm_set1_epi16(static_cast<short>(*states));
  int two = 0;
  std::memcpy(&two, states, sizeof two);
  return _mm_set1_epi32(two);
}

/// Eight children at a time.
template <unsigned kLogSize>
CRIVO_AVX2 std::uint32_t expand_large(const std::uint16_t* node_keys, std::uint32_t node_size,
                                      const State* states, std::uint32_t count, unsigned bits,
                                      State* survivors) {
  constexpr unsigned kBatch = batch(kLogSize);
  constexpr unsigned kChildren = 8 / kBatch;
  static constexpr Lanes<kBatch, 8> kOf;
  const unsigned children_each = 1U << bits;
  const __m128i shifted =
      _mm_sll_epi16(repeat_few<kBatch>(states), _mm_cvtsi32_si128(static_cast<int>(bits)));
  __m128i added = _mm_sub_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(kOf.added.data())),
                                _mm_set1_epi16(static_cast<short>(children_each)));
  std::uint32_t found = 0;
  for (unsigned c = 0; c < children_each; c += kChildren) {
    const __m128i children = _mm_add_epi16(shifted, added);
    std::uint32_t set =
        halving_large<kLogSize>(node_keys, node_size, children) & kOf.of_first[count];
    if (children_each - c < kChildren) set &= (1U << ((children_each - c) * kBatch)) - 1;
    found += append(survivors + found, children, set);
    added = _mm_add_epi16(added, _mm_set1_epi16(2 * kChildren));
  }
  return found;
}

CRIVO_AVX2 void split(const std::uint16_t* node_keys, const std::uint16_t* numbers,
                      std::uint32_t size, State state, std::uint16_t* order) {
  std::uint16_t right[(1U << kMaxLogKeys) + kSlack];
  const __m128i by = _mm_set1_epi16(static_cast<short>(multiplier(state)));
  const std::uint32_t lanes = size < 8 ? 0x0f : 0xff;
  std::uint32_t lefts = 0;
  std::uint32_t rights = 0;
  for (std::uint32_t i = 0; i < size; i += 8) {
    const __m128i keys = _mm_loadu_si128(reinterpret_cast<const __m128i*>(node_keys + i));
    const __m128i here = _mm_loadu_si128(reinterpret_cast<const __m128i*>(numbers + i));
    const __m128i signs = _mm_packs_epi16(_mm_mullo_epi16(keys, by), _mm_setzero_si128());
    const auto goes_right = static_cast<std::uint32_t>(_mm_movemask_epi8(signs));
    lefts += append(order + lefts, here, ~goes_right & lanes);
    rights += append(right + rights, here, goes_right & lanes);
  }
  std::memcpy(order + lefts, right, rights * sizeof *right);
}

/// Sixteen states at a time: mostly all there are, so that no branch depends on where it is.
CRIVO_AVX2 State find(const State* states, State kept, State wanted) {
  const __m256i bits = _mm256_set1_epi16(static_cast<short>(kept));
  const __m256i value = _mm256_set1_epi16(static_cast<short>(wanted));
  for (;; states += 16) {
    const __m256i tried = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(states));
    const auto equal = static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi16(_mm256_and_si256(tried, bits), value)));
    if (equal != 0) return states[std::countr_zero(equal) / 2];
  }
}

template <unsigned kLogSize>
constexpr Expand kExpand = [] {
  if constexpr (kLogSize < 5) {
    return &expand<kLogSize>;
  } else {
    return &expand_large<kLogSize>;
  }
}();

template <unsigned... kLogSizes>
constexpr Kernel table(std::integer_sequence<unsigned, kLogSizes...>) {
  return {{nullptr, nullptr, kExpand<kLogSizes + 2>...}, &split, &find};
}

}  // namespace
}  // namespace crivo::consensus::kernel_avx2

namespace crivo::consensus {

const Kernel& avx2_kernel() noexcept {
  static constexpr Kernel kKernel =
      kernel_avx2::table(std::make_integer_sequence<unsigned, kMaxLogKeys - 1>{});
  return kKernel;
}

}  // namespace crivo::consensus

#endif
