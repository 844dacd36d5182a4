// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#define CRIVO_TARGET __attribute__((target("avx2,bmi,bmi2,aes")))

#include "hashing/aes_block_x86.hpp"
#include "hashing/aes_lanes.hpp"
#include "hashing/aes_paths.hpp"

namespace crivo::hashing {
namespace {

/// Two blocks, each in a register of its own.
struct AesRegisters : AesBlockX86 {
  struct Pair {
    Block first;
    Block second;
  };

  CRIVO_TARGET static Pair no_pair() noexcept { return {of_halves(0, 0), of_halves(0, 0)}; }
  CRIVO_TARGET static Pair load_pair(const void* first, const void* second) noexcept {
    return {load(first), load(second)};
  }
  CRIVO_TARGET static Pair load_pair(const std::byte* at) noexcept {
    return {load(at), load(at + sizeof(Block))};
  }
  using AesBlockX86::mixed;
  CRIVO_TARGET static Pair mixed(const Pair& a, const Pair& b) noexcept {
    return {mixed(a.first, b.first), mixed(a.second, b.second)};
  }
  using AesBlockX86::round;
  CRIVO_TARGET static Pair round(const Pair& pair, const Pair& key) noexcept {
    return {round(pair.first, key.first), round(pair.second, key.second)};
  }
  CRIVO_TARGET static Pair only(const Pair& pair, std::size_t i, std::size_t count) noexcept {
    const __m256i mask = below(i, count);
    return {_mm_and_si128(pair.first, _mm256_castsi256_si128(mask)),
            _mm_and_si128(pair.second, _mm256_extracti128_si256(mask, 1))};
  }
  CRIVO_TARGET static Block both(const Pair& pair) noexcept {
    return mixed(pair.first, pair.second);
  }
};

}  // namespace

std::unique_ptr<const PreparedHash> aes_hash_aes(Seed seed) {
  return std::make_unique<AesLanes<AesRegisters>>(seed);
}

}  // namespace crivo::hashing

#endif
