/// The key hashes by the numbers and names that files and users give them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "hashing/hash_family.hpp"

namespace crivo::hashing {

/// What makes the 128-bit hash that keys are looked up by.
enum class KeyHash : std::uint32_t {
  xxh3 = 1,   ///< hash_key(): XXH3-64 under two seeds
  xxh64 = 2,  ///< `hi` is XXH64 with seed 0; `lo`, XXH3-64 with the file's seed, is not looked at
  universal = 3,  ///< the seeds' (formats/seeds.md): four words of 32 bits
  zobrist = 4,
  jenkins = 5,
  siphash = 6,  ///< SipHash-2-4 of 128 bits, keyed with the seed, in the place of xxh3
};

/// Whether a structure that is made for `own` may be over hashes of `hash`.
constexpr bool stands_for(KeyHash hash, KeyHash own) noexcept {
  return hash == own || (hash == KeyHash::siphash && own == KeyHash::xxh3);
}

/// What a file is built with: hashes in which no two keys of a set are alike.
HashFamily hash_family(KeyHash hash);

/// The same under one seed, where it is one that has tables; null where it has none, and
/// which HashFunction calls by its name.
std::unique_ptr<const PreparedHash> prepared_hash(KeyHash hash, std::uint64_t seed);

/// The longest keys that the hash is made for.
std::uint64_t max_key_bytes(KeyHash hash) noexcept;

/// The hashes that a user can name, the default first.
std::span<const std::string_view> key_hash_names() noexcept;
std::string_view key_hash_name(KeyHash hash) noexcept;
/// Throws Error(usage) that lists the names if there is none such.
KeyHash find_key_hash(std::string_view name);
/// SipHash-2-4 of 128 bits under the key (seed, 0).
Hash128 siphash(std::string_view key, std::uint64_t seed) noexcept;

/// XXH64 with seed 0 of a key's bytes.
std::uint64_t xxh64(std::string_view key) noexcept;
inline std::uint64_t xxh64(std::span<const std::byte> key) noexcept {
  return xxh64(base::as_text(key));
}
/// The same for a number as the key of its 8 bytes, the lowest first.
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

}  // namespace crivo::hashing
