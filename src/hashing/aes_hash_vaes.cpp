// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#define CRIVO_TARGET __attribute__((target("avx2,bmi,bmi2,aes,vaes")))

#include "hashing/aes_block_x86.hpp"
#include "hashing/aes_lanes.hpp"
#include "hashing/aes_paths.hpp"

namespace crivo::hashing {
namespace {

/// Two blocks in one register.
struct VaesRegisters : AesBlockX86 {
  using Pair = __m256i;

  CRIVO_TARGET static Pair no_pair() noexcept { return _mm256_setzero_si256(); }
  CRIVO_TARGET static Pair load_pair(const void* first, const void* second) noexcept {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load(first)), load(second), 1);
  }
  CRIVO_TARGET static Pair load_pair(const std::byte* at) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  }
  using AesBlockX86::mixed;
  CRIVO_TARGET static Pair mixed(Pair a, Pair b) noexcept { return _mm256_xor_si256(a, b); }
  using AesBlockX86::round;
  CRIVO_TARGET static Pair round(Pair pair, Pair key) noexcept {
    return _mm256_aesenc_epi128(pair, key);
  }
  CRIVO_TARGET static Pair only(Pair pair, std::size_t i, std::size_t count) noexcept {
    return _mm256_and_si256(pair, below(i, count));
  }
  CRIVO_TARGET static Block both(Pair pair) noexcept {
    return mixed(_mm256_castsi256_si128(pair), _mm256_extracti128_si256(pair, 1));
  }
};

}  // namespace

std::unique_ptr<const PreparedHash> aes_hash_vaes(Seed seed) {
  return std::make_unique<AesLanes<VaesRegisters>>(seed);
}

}  // namespace crivo::hashing

#endif
