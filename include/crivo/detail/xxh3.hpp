// SPDX-License-Identifier: Apache-2.0
/// XXH3_64bits_withSeed of xxHash 0.8, compiled into its caller for keys of up to 128 bytes, and a
/// second hash of its products for those of 17 to 128; and XXH64 of numbers, by which
/// split-block-bloom filters are asked, whose hash is Parquet's. Not an interface.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

#include "crivo/detail/export.hpp"

namespace crivo::detail {

__extension__ using Product128 = unsigned __int128;

namespace xxh3 {

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

/// XXH64's first two primes, and what sums are multiplied by at the end.
inline constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87U;
inline constexpr std::uint64_t kPrime2 = 0xc2b2ae3d27d4eb4fU;
inline constexpr std::uint64_t kSumFactor = 0x165667919e3779f9U;

/// Both halves of a product in one.
constexpr std::uint64_t fold(Product128 product) noexcept {
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}
constexpr std::uint64_t avalanche(std::uint64_t x) noexcept {
  x = (x ^ x >> 37) * kSumFactor;
  return x ^ x >> 32;
}
/// XXH64's.
constexpr std::uint64_t avalanche64(std::uint64_t x) noexcept {
  x = (x ^ x >> 33) * kPrime2;
  x = (x ^ x >> 29) * 0x165667b19e3779f9U;
  return x ^ x >> 32;
}

/// Holds a seed for keys of 4 to 8 bytes, in a type that no array of answers has, so that a loop
/// which stores answers may keep it in a register.
struct SeedOf4To8 {
  constexpr explicit SeedOf4To8(std::uint64_t seed) noexcept
      : flip(std::rotl(
            (kSecret[1] ^ kSecret[2]) -
                (seed ^ std::uint64_t{__builtin_bswap32(static_cast<std::uint32_t>(seed))} << 32),
            32)) {}
  unsigned long long flip;  ///< XXH3's, with its halves exchanged
};

/// A key of 4 to 8 bytes: the lower 4 bytes of `words` are its first 4, the upper ones its last 4.
/// So a number is its own `words`. A bijection of them. (XXH3 exchanges the halves, then adds two
/// rotations of the result: here three are made at once.)
constexpr std::uint64_t of_4_to_8(std::uint64_t words, std::size_t size, SeedOf4To8 seed) noexcept {
  std::uint64_t x = words ^ seed.flip;
  x = std::rotl(x, 32) ^ std::rotl(x, 17) ^ std::rotl(x, 56);
  x *= 0x9fb21c651e98df25U;
  x = (x ^ ((x >> 35) + size)) * 0x9fb21c651e98df25U;
  return x ^ x >> 28;
}

/// At most 16 bytes.
inline std::uint64_t of_short(const char* key, std::size_t size, std::uint64_t seed) noexcept {
  if (size > 8) {
    const std::uint64_t low = load<std::uint64_t>(key) ^ ((kSecret[3] ^ kSecret[4]) + seed);
    const std::uint64_t high =
        load<std::uint64_t>(key + size - 8) ^ ((kSecret[5] ^ kSecret[6]) - seed);
    return avalanche(size + __builtin_bswap64(low) + high + fold(Product128{low} * high));
  }
  if (size >= 4) {
    return of_4_to_8(load<std::uint32_t>(key) | load<std::uint32_t>(key + size - 4) << 32, size,
                     SeedOf4To8(seed));
  }
  if (size == 0) return avalanche64(seed ^ kSecret[7] ^ kSecret[8]);
  const auto byte = [&](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(key[i])};
  };
  const std::uint32_t all =
      byte(0) << 16 | byte(size / 2) << 24 | byte(size - 1) | static_cast<std::uint32_t>(size) << 8;
  constexpr std::uint64_t kFlip = (kSecret[0] ^ kSecret[0] >> 32) & 0xffffffff;
  return avalanche64(all ^ (kFlip + seed));
}

/// A word of the secret as keys of 17 to 128 bytes have it under a seed; or under one that was
/// prepared, whose words are there to be read.
constexpr std::uint64_t secret(std::uint64_t seed, std::size_t word) noexcept {
  return word % 2 == 0 ? kSecret[word] + seed : kSecret[word] - seed;
}
struct PreparedSeed {
  constexpr explicit PreparedSeed(std::uint64_t of) noexcept : seed(of) {
    for (std::size_t word = 0; word < std::size(kSecret); ++word) secrets[word] = secret(of, word);
  }
  /// Has a type that no array of answers has, so that a loop which stores answers need not read
  /// them again.
  unsigned long long seed;
  unsigned long long secrets[std::size(kSecret)];
};
constexpr std::uint64_t secret(const PreparedSeed& seed, std::size_t word) noexcept {
  return seed.secrets[word];
}
constexpr std::uint64_t number_of(std::uint64_t seed) noexcept {
  return seed;
}
constexpr std::uint64_t number_of(const PreparedSeed& seed) noexcept {
  return seed.seed;
}

/// Holds what a key of 17 to 128 bytes is hashed by: sums over pairs of 16 bytes, one from either
/// end.
struct Sums {
  explicit Sums(std::size_t size) noexcept : folds(size * kPrime1) {}

  std::uint64_t folds;      ///< of the products' halves in one
  std::uint64_t upper = 0;  ///< of their upper halves

  /// Adds pair number `pair`, or nothing if `mask` is 0: then `place` says which one is read in its
  /// stead.
  template <typename Seed>
  [[gnu::always_inline]] void add(std::string_view key, std::size_t pair, std::size_t place,
                                  const Seed& seed,
                                  std::uint64_t mask = ~std::uint64_t{0}) noexcept {
    const auto product = [&](const char* at, std::size_t word) {
      return Product128{load<std::uint64_t>(at) ^ secret(seed, word)} *
             (load<std::uint64_t>(at + 8) ^ secret(seed, word + 1));
    };
    const Product128 left = product(key.data() + 16 * place, 4 * pair);
    const Product128 right = product(key.data() + key.size() - 16 * (place + 1), 4 * pair + 2);
    folds += mask & (fold(left) + fold(right));
    upper +=
        mask & (static_cast<std::uint64_t>(left >> 64) + static_cast<std::uint64_t>(right >> 64));
  }

  /// XXH3-64.
  std::uint64_t first() const noexcept { return avalanche(folds); }
  /// Another hash. A product's fold and its upper half are all of its 128 bits: keys that differ in
  /// one product differ in one of the two.
  std::uint64_t second() const noexcept { return avalanche(upper + folds * kPrime2); }
};

/// 17 to 128 bytes, of which it is known how many pairs they are: (size - 1) / 32 + 1.
template <unsigned kPairs, typename Seed>
[[gnu::always_inline]] inline Sums sums_of_pairs(std::string_view key, const Seed& seed) noexcept {
  Sums sums(key.size());
  for (unsigned pair = 0; pair < kPairs; ++pair) sums.add(key, pair, pair, seed);
  return sums;
}
/// 17 to 128 bytes. Of many keys, such as URLs, half have more than 64: a branch on that would be a
/// guess, so the third pair is computed always (of bytes that are there), and masked. A caller that
/// asks for one hash alone does not pay for the other.
template <typename Seed>
[[gnu::always_inline]] inline Sums sums_of_medium(std::string_view key, const Seed& seed) noexcept {
  Sums sums(key.size());
  if (key.size() > 32) [[likely]] {
    if (key.size() > 96) [[unlikely]]
      sums.add(key, 3, 3, seed);
    std::uint64_t mask = key.size() > 64 ? ~std::uint64_t{0} : 0;
    __asm__("" : "+r"(mask));  // else it would be that branch
    sums.add(key, 2, 1 + (mask & 1), seed, mask);
    sums.add(key, 1, 1, seed);
  }
  sums.add(key, 0, 0, seed);
  return sums;
}

/// More than 128 bytes; not inlined.
CRIVO_API std::uint64_t of_long(const char* key, std::size_t size, std::uint64_t seed) noexcept;

/// XXH3-64 under a seed, a number or (in some 12 instructions fewer) a PreparedSeed.
template <typename Seed>
[[gnu::always_inline]] inline std::uint64_t hash(std::string_view key, const Seed& seed) noexcept {
  if (key.size() > 16) [[likely]] {
    if (key.size() <= 128) [[likely]]
      return sums_of_medium(key, seed).first();
    return of_long(key.data(), key.size(), number_of(seed));
  }
  return of_short(key.data(), key.size(), number_of(seed));
}

}  // namespace xxh3

/// XXH64 with seed 0 of a number as the key of its 8 bytes, the lowest first.
constexpr std::uint64_t xxh64(std::uint64_t key) noexcept {
  constexpr std::uint64_t kPrimes[] = {0x9e3779b185ebca87U, 0xc2b2ae3d27d4eb4fU,
                                       0x165667b19e3779f9U, 0x85ebca77c2b2ae63U,
                                       0x27d4eb2f165667c5U};
  std::uint64_t hash = kPrimes[4] + 8;
  hash ^= std::rotl(key * kPrimes[1], 31) * kPrimes[0];
  hash = std::rotl(hash, 27) * kPrimes[0] + kPrimes[3];
  hash = (hash ^ hash >> 33) * kPrimes[1];
  hash = (hash ^ hash >> 29) * kPrimes[2];
  return hash ^ hash >> 32;
}

}  // namespace crivo::detail
