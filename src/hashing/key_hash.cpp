// SPDX-License-Identifier: Apache-2.0
#include "hashing/key_hash.hpp"

#include <xxhash.h>

#include <array>

#include "base/named_rows.hpp"
#include "crivo/key.hpp"
#include "hashing/range_hash.hpp"
#include "hashing/siphash.hpp"
#include "hashing/table_hashes.hpp"

namespace crivo::hashing {
namespace {

Hash128 xxh64_hash(std::string_view key, std::uint64_t seed) noexcept {
  return {xxh64(key), XXH3_64bits_withSeed(key.data(), key.size(), seed)};
}

}  // namespace

std::unique_ptr<const PreparedHash> prepared_hash(KeyHashId hash, std::uint64_t seed) {
  switch (hash) {
    case KeyHashId::universal:
      return std::make_unique<UniversalHash>(seed);
    case KeyHashId::zobrist:
      return std::make_unique<ZobristHash>(seed);
    case KeyHashId::jenkins:
      return std::make_unique<JenkinsHash>(seed);
    case KeyHashId::xxh3:
    case KeyHashId::xxh64:
    case KeyHashId::siphash:
    case KeyHashId::range:
    case KeyHashId::keyed_range:
      break;
  }
  return nullptr;
}

HashFamily hash_family(KeyHashId hash, bool numbers) {
  if (hash == KeyHashId::xxh3) return static_cast<PlainHash>(hash_key);
  if (hash == KeyHashId::xxh64) return xxh64_hash;
  if (hash == KeyHashId::siphash) return siphash;
  if (hash == KeyHashId::range)
    return static_cast<PlainHash>(numbers ? hash_of_bytes<range_hash> : hash_of_text<range_hash>);
  if (hash == KeyHashId::keyed_range) {
    return static_cast<PlainHash>(numbers ? hash_of_bytes<keyed_range_hash>
                                          : hash_of_text<keyed_range_hash>);
  }
  return HashFamily([hash](std::uint64_t seed) { return prepared_hash(hash, seed); });
}

std::uint64_t max_key_bytes(KeyHashId hash) noexcept {
  if (is_of_ranges(hash)) return kMaxNumberBytes;
  const bool has_table = hash == KeyHashId::universal || hash == KeyHashId::zobrist;
  return has_table ? kMaxTableKeyBytes : kMaxKeyBytes;
}

std::uint64_t keys_alike(KeyHashId hash) noexcept {
  return is_of_ranges(hash) ? kRunNumbers : 1;
}

std::span<const std::string_view> key_hash_names() noexcept {
  static constexpr std::array<std::string_view, 4> kNames{"xxh3", "universal", "zobrist",
                                                          "jenkins"};
  return kNames;
}

std::string_view key_hash_name(KeyHashId hash) noexcept {
  switch (hash) {
    case KeyHashId::xxh3:
      return "xxh3";
    case KeyHashId::xxh64:
      return "xxh64";
    case KeyHashId::universal:
      return "universal";
    case KeyHashId::zobrist:
      return "zobrist";
    case KeyHashId::jenkins:
      return "jenkins";
    case KeyHashId::siphash:
      return "siphash";
    case KeyHashId::range:
      return "range";
    case KeyHashId::keyed_range:
      return "range-siphash";
  }
  return {};
}

KeyHashId find_key_hash(std::string_view name) {
  constexpr std::array kNamed{KeyHashId::xxh3, KeyHashId::universal, KeyHashId::zobrist,
                              KeyHashId::jenkins};
  for (const KeyHashId hash : kNamed) {
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
