/// The hash functions that a file's header can name.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "crivo/hash.hpp"
#include "file/container.hpp"
#include "keys/hash_keys.hpp"

namespace crivo::api {

/// What a file is built with: hashes in which no two keys of a set are alike.
keys::HashFunction hash_function(file::KeyHash hash) noexcept;

/// XXH64 with seed 0 of a key's bytes.
std::uint64_t xxh64(std::string_view key) noexcept;
inline std::uint64_t xxh64(std::span<const std::byte> key) noexcept {
  return xxh64(file::as_text(key));
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

/// What a file is looked up by: the parts of hash_function(hash)(key, seed) that a structure over
/// such hashes looks at, and 0 for the others. `Key` is any that hash_key() takes.
template <typename Key>
Hash128 lookup_hash(file::KeyHash hash, const Key& key, std::uint64_t seed) noexcept {
  return hash == file::KeyHash::xxh64 ? Hash128{xxh64(key), 0} : hash_key(key, seed);
}

}  // namespace crivo::api
