// SPDX-License-Identifier: Apache-2.0
#include "hashing/key_hash.hpp"

#include <xxhash.h>

#include <array>

#include "base/named_rows.hpp"
#include "crivo/keys.hpp"
#include "hashing/siphash.hpp"
#include "hashing/table_hashes.hpp"

namespace crivo::hashing {
namespace {

Hash128 xxh64_hash(std::string_view key, std::uint64_t seed) noexcept {
  return {xxh64(key), XXH3_64bits_withSeed(key.data(), key.size(), seed)};
}

}  // namespace

std::unique_ptr<const PreparedHash> prepared_hash(KeyHash hash, std::uint64_t seed) {
  switch (hash) {
    case KeyHash::universal:
      return std::make_unique<UniversalHash>(seed);
    case KeyHash::zobrist:
      return std::make_unique<ZobristHash>(seed);
    case KeyHash::jenkins:
      return std::make_unique<JenkinsHash>(seed);
    case KeyHash::xxh3:
    case KeyHash::xxh64:
    case KeyHash::siphash:
      break;
  }
  return nullptr;
}

HashFamily hash_family(KeyHash hash) {
  if (hash == KeyHash::xxh3) return static_cast<PlainHash>(hash_key);
  if (hash == KeyHash::xxh64) return xxh64_hash;
  if (hash == KeyHash::siphash) return siphash;
  return HashFamily([hash](std::uint64_t seed) { return prepared_hash(hash, seed); });
}

std::uint64_t max_key_bytes(KeyHash hash) noexcept {
  const bool has_table = hash == KeyHash::universal || hash == KeyHash::zobrist;
  return has_table ? kMaxTableKeyBytes : kMaxKeyBytes;
}

std::span<const std::string_view> key_hash_names() noexcept {
  static constexpr std::array<std::string_view, 4> kNames{"xxh3", "universal", "zobrist",
                                                          "jenkins"};
  return kNames;
}

std::string_view key_hash_name(KeyHash hash) noexcept {
  switch (hash) {
    case KeyHash::xxh3:
      return "xxh3";
    case KeyHash::xxh64:
      return "xxh64";
    case KeyHash::universal:
      return "universal";
    case KeyHash::zobrist:
      return "zobrist";
    case KeyHash::jenkins:
      return "jenkins";
    case KeyHash::siphash:
      return "siphash";
  }
  return {};
}

KeyHash find_key_hash(std::string_view name) {
  constexpr std::array kNamed{KeyHash::xxh3, KeyHash::universal, KeyHash::zobrist,
                              KeyHash::jenkins};
  for (const KeyHash hash : kNamed) {
    if (key_hash_name(hash) == name) return hash;
  }
  base::refuse_name("key hash", name, key_hash_names());
}

Hash128 siphash(std::string_view key, std::uint64_t seed) noexcept {
  return siphash128(key, {seed, 0});
}

std::uint64_t xxh64(std::string_view key) noexcept {
  return XXH64(key.data(), key.size(), 0);
}

}  // namespace crivo::hashing
