/// The hash functions that a file's header can name.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "crivo/build.hpp"
#include "file/container.hpp"
#include "hashing/hash128.hpp"
#include "hashing/hash_family.hpp"
#include "structures/mphf.hpp"

namespace crivo::index {

/// What a file is built with: hashes in which no two keys of a set are alike.
hashing::HashFamily hash_family(file::KeyHash hash);

/// The same under one seed, where it is one that has tables; null where it has none, and
/// which HashFunction calls by its name.
std::unique_ptr<const hashing::PreparedHash> prepared_hash(file::KeyHash hash, std::uint64_t seed);

/// The longest keys that the hash is made for.
std::uint64_t max_key_bytes(file::KeyHash hash) noexcept;

/// The hashes that a user can name, the default first.
std::span<const std::string_view> key_hash_names() noexcept;
std::string_view key_hash_name(file::KeyHash hash) noexcept;
/// Throws Error(usage) that lists the names if there is none such.
file::KeyHash find_key_hash(std::string_view name);
/// The hash that the options name. Throws Error(usage) if there is none such, or if the algorithm,
/// which is theirs, takes no choice of hash or range.
file::KeyHash key_hash_of(const MphfOptions& mphf, const mphf::Algorithm& algorithm);

/// The hash that a structure whose own is `own` is built over: that, or where the options ask for
/// the keyed one, siphash. Throws Error(usage) if it cannot stand for `own`.
file::KeyHash built_hash(file::KeyHash own, const BuildOptions& options);

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

/// What a file with this header is looked up by. Of a family's hashes it has the parts that a
/// structure over them looks at, and 0 for the others.
inline HashFunction hash_function(const file::Header& header) {
  return detail::HashAccess::function(header.key_hash, header.seed);
}

}  // namespace crivo::index
