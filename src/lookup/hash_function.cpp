// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "base/bytes.hpp"
#include "crivo/detail/views.hpp"
#include "crivo/error.hpp"
#include "crivo/key.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/lookup_blocks.hpp"
#include "structures/filter.hpp"

namespace crivo {
namespace {

/// Tags have the key hash in these bits, which is never 0, and the seed's hash in the others.
constexpr std::uint64_t kTagIdMask = 15;

std::uint64_t tag_of(hashing::KeyHashId id, hashing::Seed seed) noexcept {
  return (hash_key(seed.low, seed.high).hi & ~kTagIdMask) | static_cast<std::uint64_t>(id);
}

template <typename Key>
void hash_all(const HashFunction& function, std::span<const Key> keys, std::span<KeyHash> hashes) {
  detail::check_batch(keys.size(), hashes.size());
  index::for_each_hashed_block(
      keys, function, [&](std::span<const Hash128> block, std::size_t begin) {
        for (std::size_t i = 0; i < block.size(); ++i) {
          hashes[begin + i] = detail::HashAccess::tagged(function, block[i]);
        }
      });
}

}  // namespace

HashFunction::HashFunction(hashing::KeyHashId id, std::uint64_t seed, std::uint64_t seed_high)
    : seed_(id == hashing::KeyHashId::xxh64 ? 0 : seed),
      seed_high_(seed_high),
      seed_of_numbers_(seed_),
      seed_of_texts_(seed_),
      id_(id),
      is_usual_(id == hashing::KeyHashId::xxh3),
      prepared_(hashing::prepared_hash(id, {seed, seed_high})) {
  tag_ = tag_of(id_, {seed_, seed_high_});
}

std::string_view HashFunction::name() const noexcept {
  return hashing::key_hash_name(id_);
}

Hash128 HashFunction::other(std::string_view key) const noexcept {
  if (prepared_ != nullptr) return (*prepared_)(key);
  if (id_ == hashing::KeyHashId::range)
    return hashing::hash_of_text<hashing::range_hash>(key, seed_);
  if (id_ == hashing::KeyHashId::keyed_range)
    return hashing::hash_of_text<hashing::keyed_range_hash>(key, seed_);
  return id_ == hashing::KeyHashId::siphash ? hashing::siphash(key, seed_)
                                            : Hash128{hashing::xxh64(key), 0};
}

Hash128 HashFunction::other(std::uint64_t key) const noexcept {
  if (id_ == hashing::KeyHashId::xxh64) return {hashing::xxh64(key), 0};
  if (id_ == hashing::KeyHashId::range) return hashing::range_hash(key, seed_);
  if (id_ == hashing::KeyHashId::keyed_range) return hashing::keyed_range_hash(key, seed_);
  std::array<char, sizeof key> bytes{};
  base::store_le(bytes.data(), key);
  return other(std::string_view(bytes.data(), bytes.size()));
}

void HashFunction::operator()(std::span<const std::string_view> keys,
                              std::span<KeyHash> hashes) const {
  hash_all(*this, keys, hashes);
}
void HashFunction::operator()(std::span<const std::span<const std::byte>> keys,
                              std::span<KeyHash> hashes) const {
  hash_all(*this, keys, hashes);
}
void HashFunction::operator()(std::span<const std::uint64_t> keys,
                              std::span<KeyHash> hashes) const {
  hash_all(*this, keys, hashes);
}

void detail::HashAccess::refuse(const HashFunction& function, const KeyHash& hash) {
  const auto id = static_cast<hashing::KeyHashId>(hash.tag_ & kTagIdMask);
  const std::string needed = std::string(function.name()) + " with seed " +
                             hashing::Seed(function.seed(), function.seed_high()).text();
  const std::string made = hash.tag_ == 0
                               ? "a KeyHash that was never assigned"
                               : "a hash that " + std::string(hashing::key_hash_name(id)) +
                                     (id == function.id_ ? " with another seed" : "") + " made";
  throw Error(ErrorKind::usage,
              made + " asks a structure whose keys are hashed by " + needed +
                  ": use the structure's own hash(), or compare hash_function() first");
}

}  // namespace crivo
