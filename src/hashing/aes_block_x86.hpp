// SPDX-License-Identifier: Apache-2.0
/// A block of AES in a register of x86-64. Who includes it has defined CRIVO_TARGET, with AVX2 and
/// AES-NI.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "hashing/hash128.hpp"

namespace crivo::hashing {

/// The part of a Registers (aes_lanes.hpp) that is about one block.
struct AesBlockX86 {
  using Block = __m128i;

  CRIVO_TARGET static Block load(const void* at) noexcept {
    return _mm_loadu_si128(static_cast<const __m128i*>(at));
  }
  CRIVO_TARGET static void store(Block block, void* to) noexcept {
    _mm_storeu_si128(static_cast<__m128i*>(to), block);
  }
  CRIVO_TARGET static Block of_halves(std::uint64_t low, std::uint64_t high) noexcept {
    return _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
  }
  CRIVO_TARGET static Hash128 halves(Block block) noexcept {
    return {static_cast<std::uint64_t>(_mm_cvtsi128_si64(block)),
            static_cast<std::uint64_t>(_mm_extract_epi64(block, 1))};
  }
  CRIVO_TARGET static Block mixed(Block a, Block b) noexcept { return _mm_xor_si128(a, b); }
  CRIVO_TARGET static Block round(Block block, Block key) noexcept {
    return _mm_aesenc_si128(block, key);
  }
  CRIVO_TARGET static Block last_round(Block block, Block key) noexcept {
    return _mm_aesenclast_si128(block, key);
  }
  /// Of the blocks `i` and i + 1, those that are below `count`, in masks of 256 bits.
  CRIVO_TARGET static __m256i below(std::size_t i, std::size_t count) noexcept {
    const __m256i own = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(i)),
                                         _mm256_set_epi32(1, 1, 1, 1, 0, 0, 0, 0));
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), own);
  }
};

}  // namespace crivo::hashing
