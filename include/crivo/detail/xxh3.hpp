// SPDX-License-Identifier: Apache-2.0
/// XXH3_64bits_withSeed of xxHash 0.8, compiled into its caller for keys of up to 128 bytes, under
/// one seed or several at once. Not an interface.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

#include "crivo/export.hpp"

namespace crivo::detail {

__extension__ using Product128 = unsigned __int128;

namespace xxh3 {

/// XXH3 as its 64 bits are defined for each length of a key. What differs between seeds is computed
/// for each of them; what does not, once.
template <std::size_t kSeeds>
using Seeds = std::array<std::uint64_t, kSeeds>;
template <std::size_t kSeeds>
using Hashes = std::array<std::uint64_t, kSeeds>;

/// XXH3's default secret, as far as keys of up to 128 bytes have a use for it.
inline constexpr std::uint64_t kSecret[16] = {
    0xbe4ba423396cfeb8U, 0x1cad21f72c81017cU, 0xdb979083e96dd4deU, 0x1f67b3b7a4a44072U,
    0x78e5c0cc4ee679cbU, 0x2172ffcc7dd05a82U, 0x8e2443f7744608b8U, 0x4c263a81e69035e0U,
    0xcb00c391bb52283cU, 0xa32e531b8b65d088U, 0x4ef90da297486471U, 0xd8acdea946ef1938U,
    0x3f349ce33f76faa8U, 0x1d4f0bc7c7bbdcf9U, 0x3159b4cd4be0518aU, 0x647378d9c97e9fc8U};

template <typename Word>
inline std::uint64_t load(const char* at) noexcept {
  Word word;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) {
    word = sizeof word == 8
               ? static_cast<Word>(__builtin_bswap64(word))
               : static_cast<Word>(__builtin_bswap32(static_cast<std::uint32_t>(word)));
  }
  return word;
}

/// What sums are multiplied by at the end, and what a size is at the beginning.
inline constexpr std::uint64_t kSumFactor = 0x165667919e3779f9U;
inline constexpr std::uint64_t kSizeFactor = 0x9e3779b185ebca87U;

/// Both halves of a * b in one.
constexpr std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  const Product128 product = Product128{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}
constexpr std::uint64_t avalanche(std::uint64_t x) noexcept {
  x = (x ^ x >> 37) * kSumFactor;
  return x ^ x >> 32;
}
/// XXH64's.
constexpr std::uint64_t avalanche64(std::uint64_t x) noexcept {
  x = (x ^ x >> 33) * 0xc2b2ae3d27d4eb4fU;
  x = (x ^ x >> 29) * 0x165667b19e3779f9U;
  return x ^ x >> 32;
}

/// What a seed is for keys of 4 to 8 bytes. Of a type that no array of answers has, so that a loop
/// which stores answers may keep it in a register.
struct SeedOf4To8 {
  constexpr explicit SeedOf4To8(std::uint64_t seed) noexcept
      : flip((kSecret[1] ^ kSecret[2]) -
             (seed ^ std::uint64_t{__builtin_bswap32(static_cast<std::uint32_t>(seed))} << 32)) {}
  unsigned long long flip;
};

/// A key of 4 to 8 bytes: `low` and `high` are its last 4 and its first 4. A bijection of both.
constexpr std::uint64_t of_4_to_8(std::uint64_t low, std::uint64_t high, std::size_t size,
                                  SeedOf4To8 seed) noexcept {
  std::uint64_t x = (low + (high << 32)) ^ seed.flip;
  x ^= std::rotl(x, 49) ^ std::rotl(x, 24);
  x *= 0x9fb21c651e98df25U;
  x = (x ^ ((x >> 35) + size)) * 0x9fb21c651e98df25U;
  return x ^ x >> 28;
}

/// At most 16 bytes.
template <std::size_t kSeeds>
inline Hashes<kSeeds> of_short(const char* key, std::size_t size,
                               const Seeds<kSeeds>& seeds) noexcept {
  Hashes<kSeeds> hashes;
  if (size > 8) {
    const std::uint64_t first = load<std::uint64_t>(key);
    const std::uint64_t last = load<std::uint64_t>(key + size - 8);
    for (std::size_t i = 0; i < kSeeds; ++i) {
      const std::uint64_t low = first ^ ((kSecret[3] ^ kSecret[4]) + seeds[i]);
      const std::uint64_t high = last ^ ((kSecret[5] ^ kSecret[6]) - seeds[i]);
      hashes[i] = avalanche(size + __builtin_bswap64(low) + high + fold(low, high));
    }
  } else if (size >= 4) {
    const std::uint64_t first = load<std::uint32_t>(key);
    const std::uint64_t last = load<std::uint32_t>(key + size - 4);
    for (std::size_t i = 0; i < kSeeds; ++i) {
      hashes[i] = of_4_to_8(last, first, size, SeedOf4To8(seeds[i]));
    }
  } else if (size != 0) {
    const auto byte = [&](std::size_t i) {
      return std::uint32_t{static_cast<unsigned char>(key[i])};
    };
    const std::uint32_t all = byte(0) << 16 | byte(size / 2) << 24 | byte(size - 1) |
                              static_cast<std::uint32_t>(size) << 8;
    constexpr std::uint64_t kFlip = (kSecret[0] ^ kSecret[0] >> 32) & 0xffffffff;
    for (std::size_t i = 0; i < kSeeds; ++i) hashes[i] = avalanche64(all ^ (kFlip + seeds[i]));
  } else {
    for (std::size_t i = 0; i < kSeeds; ++i)
      hashes[i] = avalanche64(seeds[i] ^ kSecret[7] ^ kSecret[8]);
  }
  return hashes;
}

/// A word of the secret as keys of 17 to 128 bytes have it under a seed.
constexpr std::uint64_t seeded(std::size_t word, std::uint64_t seed) noexcept {
  return word % 2 == 0 ? kSecret[word] + seed : kSecret[word] - seed;
}
/// The same of each of some seeds; or of one that was prepared, whose words are there to be read.
template <std::size_t kSeeds>
constexpr std::uint64_t secret(const Seeds<kSeeds>& seeds, std::size_t i,
                               std::size_t word) noexcept {
  return seeded(word, seeds[i]);
}
struct PreparedSeed {
  constexpr explicit PreparedSeed(std::uint64_t of) noexcept : seed(of) {
    for (std::size_t word = 0; word < std::size(kSecret); ++word) secrets[word] = seeded(word, of);
  }
  /// Of a type that no array of answers has, so that a loop which stores answers need not read them
  /// again.
  unsigned long long seed;
  unsigned long long secrets[std::size(kSecret)];
};
constexpr std::uint64_t secret(const PreparedSeed& seed, std::size_t, std::size_t word) noexcept {
  return seed.secrets[word];
}

/// A key of 17 to 128 bytes is a sum over pairs of 16 bytes, one from either end. Adds pair number
/// `pair`, or nothing if `mask` is 0: then `place` says which one is read in its stead.
template <std::size_t kSeeds, typename Seeding>
[[gnu::always_inline]] inline void add_pair(Hashes<kSeeds>& sums, std::string_view key,
                                            std::size_t pair, std::size_t place,
                                            const Seeding& seeds,
                                            std::uint64_t mask = ~std::uint64_t{0}) noexcept {
  const char* const left = key.data() + 16 * place;
  const char* const right = key.data() + key.size() - 16 * (place + 1);
  for (std::size_t i = 0; i < kSeeds; ++i) {
    sums[i] += mask & (fold(load<std::uint64_t>(left) ^ secret(seeds, i, 4 * pair),
                            load<std::uint64_t>(left + 8) ^ secret(seeds, i, 4 * pair + 1)) +
                       fold(load<std::uint64_t>(right) ^ secret(seeds, i, 4 * pair + 2),
                            load<std::uint64_t>(right + 8) ^ secret(seeds, i, 4 * pair + 3)));
  }
}
template <std::size_t kSeeds>
inline Hashes<kSeeds> empty_sums(std::size_t size) noexcept {
  Hashes<kSeeds> sums;
  for (std::uint64_t& sum : sums) sum = size * kSizeFactor;
  return sums;
}
template <std::size_t kSeeds>
inline Hashes<kSeeds> hashes_of(Hashes<kSeeds> sums) noexcept {
  for (std::uint64_t& sum : sums) sum = avalanche(sum);
  return sums;
}

/// 17 to 128 bytes, of which it is known how many pairs they are: (size - 1) / 32 + 1.
template <unsigned kPairs, std::size_t kSeeds>
[[gnu::always_inline]] inline Hashes<kSeeds> of_pairs(std::string_view key,
                                                      const Seeds<kSeeds>& seeds) noexcept {
  Hashes<kSeeds> sums = empty_sums<kSeeds>(key.size());
  for (unsigned pair = 0; pair < kPairs; ++pair) add_pair(sums, key, pair, pair, seeds);
  return hashes_of(sums);
}
/// 17 to 128 bytes. Of many keys, such as URLs, half have more than 64: a branch on that would be a
/// guess, so the third pair is computed always (of bytes that are there), and masked.
template <std::size_t kSeeds, typename Seeding>
[[gnu::always_inline]] inline Hashes<kSeeds> of_medium(std::string_view key,
                                                       const Seeding& seeds) noexcept {
  Hashes<kSeeds> sums = empty_sums<kSeeds>(key.size());
  if (key.size() > 32) [[likely]] {
    if (key.size() > 96) [[unlikely]]
      add_pair(sums, key, 3, 3, seeds);
    std::uint64_t mask = key.size() > 64 ? ~std::uint64_t{0} : 0;
    __asm__("" : "+r"(mask));  // else it would be that branch
    add_pair(sums, key, 2, 1 + (mask & 1), seeds, mask);
    add_pair(sums, key, 1, 1, seeds);
  }
  add_pair(sums, key, 0, 0, seeds);
  return hashes_of(sums);
}

/// More than 128 bytes; not inlined.
CRIVO_API std::uint64_t of_long(const char* key, std::size_t size, std::uint64_t seed) noexcept;

/// The hashes of a key under each of the seeds. `of_medium_keys` is what keys of 17 to 128 bytes
/// are hashed by.
template <std::size_t kSeeds, typename Seeding>
[[gnu::always_inline]] inline Hashes<kSeeds> hash(std::string_view key, const Seeds<kSeeds>& seeds,
                                                  const Seeding& of_medium_keys) noexcept {
  if (key.size() > 16) [[likely]] {
    if (key.size() <= 128) [[likely]]
      return of_medium<kSeeds>(key, of_medium_keys);
    Hashes<kSeeds> hashes;
    for (std::size_t i = 0; i < kSeeds; ++i) hashes[i] = of_long(key.data(), key.size(), seeds[i]);
    return hashes;
  }
  return of_short(key.data(), key.size(), seeds);
}
template <std::size_t kSeeds>
[[gnu::always_inline]] inline Hashes<kSeeds> hash(std::string_view key,
                                                  const Seeds<kSeeds>& seeds) noexcept {
  return hash<kSeeds>(key, seeds, seeds);
}
/// That of a seed which is prepared, in some 12 instructions fewer.
[[gnu::always_inline]] inline std::uint64_t hash(std::string_view key,
                                                 const PreparedSeed& seed) noexcept {
  return hash<1>(key, Seeds<1>{seed.seed}, seed)[0];
}

}  // namespace xxh3

}  // namespace crivo::detail
