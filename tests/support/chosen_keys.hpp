// SPDX-License-Identifier: Apache-2.0
/// Keys of 8 bytes that are chosen by their hashes, as anyone can who knows the seed: XXH3-64 and
/// XXH64 of 8 bytes are bijections, which these undo step by step.
#pragma once

#include <bit>
#include <cstdint>

#include "crivo/detail/xxh3.hpp"

namespace crivo::test {

/// The factor that undoes a multiplication by an odd one.
constexpr std::uint64_t inverse(std::uint64_t odd) noexcept {
  std::uint64_t x = odd;  // right in the lowest 3 bits; each turn doubles them
  for (int turn = 0; turn < 5; ++turn) x *= 2 - odd * x;
  return x;
}

/// The number whose 8 bytes have this `hi` under the usual key hash with a seed.
constexpr std::uint64_t key_with_hi(std::uint64_t hi, std::uint64_t seed = 0) noexcept {
  constexpr std::uint64_t kInverse = inverse(0x9fb21c651e98df25U);
  std::uint64_t x = hi;
  x = (x ^ x >> 28 ^ x >> 56) * kInverse;
  x = (x ^ ((x >> 35) + 8)) * kInverse;
  // The map has odd weight in rotations, so that its 64th power is the identity.
  for (unsigned power = 1; power < 64; power *= 2)
    x ^= std::rotl(x, static_cast<int>(49 * power % 64)) ^
         std::rotl(x, static_cast<int>(24 * power % 64));
  return std::rotl(x, 32) ^ detail::xxh3::SeedOf4To8(seed).flip;
}

/// The number whose 8 bytes have this XXH64 with seed 0.
constexpr std::uint64_t key_with_xxh64(std::uint64_t hash) noexcept {
  constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87U;
  constexpr std::uint64_t kPrime2 = 0xc2b2ae3d27d4eb4fU;
  constexpr std::uint64_t kPrime3 = 0x165667b19e3779f9U;
  constexpr std::uint64_t kPrime4 = 0x85ebca77c2b2ae63U;
  constexpr std::uint64_t kPrime5 = 0x27d4eb2f165667c5U;
  std::uint64_t x = hash ^ hash >> 32;
  x *= inverse(kPrime3);
  x = (x ^ x >> 29 ^ x >> 58) * inverse(kPrime2);
  x ^= x >> 33;
  x = std::rotr((x - kPrime4) * inverse(kPrime1), 27) ^ (kPrime5 + 8);
  return std::rotr(x * inverse(kPrime1), 31) * inverse(kPrime2);
}

}  // namespace crivo::test
