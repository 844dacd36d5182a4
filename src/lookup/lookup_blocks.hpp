// SPDX-License-Identifier: Apache-2.0
/// How the public batch lookups go over their keys: a block is hashed, then resolved as one.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "crivo/key.hpp"
#include "lookup/key_hash.hpp"
#include "structures/mphf.hpp"

namespace crivo::index {

/// halves[i] = detail::first_half(numbers[i], seed), several at a time where the processor can.
void first_halves(std::span<const std::uint64_t> numbers, std::uint64_t seed,
                  std::uint64_t* halves) noexcept;

/// Long enough that the start of a block, whose cache misses nothing overlaps, does not count.
inline constexpr std::size_t kLookupBlock = 1024;

/// Keys lie anywhere in memory: so many ahead their text is asked for.
inline constexpr std::size_t kKeysAhead = 8;

/// Asks for the text of a key, if that lies elsewhere.
inline void prefetch_key(std::string_view key) noexcept {
  __builtin_prefetch(key.data());
}
inline void prefetch_key(std::span<const std::byte> key) noexcept {
  __builtin_prefetch(key.data());
}
inline void prefetch_key(std::uint64_t) noexcept {}

/// Calls resolve(hashes, begin) for each block of the hashes hash_of(key) of the keys.
template <typename Key, typename HashOf, typename Resolve>
requires std::invocable<HashOf, Key>
void for_each_block(std::span<const Key> keys, const HashOf& hash_of, Resolve& resolve) {
  std::array<Hash128, kLookupBlock> hashes;
  for (std::size_t begin = 0; begin < keys.size(); begin += kLookupBlock) {
    const std::size_t size = std::min(kLookupBlock, keys.size() - begin);
    for (std::size_t i = 0; i < size; ++i) {
      if (begin + i + kKeysAhead < keys.size()) prefetch_key(keys[begin + i + kKeysAhead]);
      hashes[i] = hash_of(keys[begin + i]);
    }
    resolve(std::span<const Hash128>(hashes).first(size), begin);
  }
}

/// Calls resolve(halves, begin) for each block of the first halves that `function`, whose key hash
/// is the usual one, makes of the keys.
template <typename Key, typename Resolve>
void for_each_half_block(std::span<const Key> keys, const HashFunction& function,
                         Resolve&& resolve) {
  std::array<std::uint64_t, kLookupBlock> halves;
  for (std::size_t begin = 0; begin < keys.size(); begin += kLookupBlock) {
    const auto block = keys.subspan(begin, std::min(kLookupBlock, keys.size() - begin));
    if constexpr (std::same_as<Key, std::uint64_t>) {
      first_halves(block, function.seed(), halves.data());
    } else {
      for (std::size_t i = 0; i < block.size(); ++i) {
        if (begin + i + kKeysAhead < keys.size()) prefetch_key(keys[begin + i + kKeysAhead]);
        halves[i] = detail::HashAccess::first_half(function, block[i]);
      }
    }
    resolve(std::span<const std::uint64_t>(halves).first(block.size()), begin);
  }
}

/// The same for those who take hashes, but look at no second half.
template <typename Key, typename Resolve>
void for_each_half_hashed_block(std::span<const Key> keys, const HashFunction& function,
                                Resolve&& resolve) {
  std::array<Hash128, kLookupBlock> hashes;
  for_each_half_block(keys, function,
                      [&](std::span<const std::uint64_t> halves, std::size_t begin) {
                        std::ranges::transform(halves, hashes.begin(), [](std::uint64_t half) {
                          return Hash128{half, 0};
                        });
                        resolve(std::span<const Hash128>(hashes).first(halves.size()), begin);
                      });
}

/// The second halves of keys' hashes, made where they are asked for.
template <typename Key>
class KeysSecondHalves final : public mphf::SecondHalves {
 public:
  KeysSecondHalves(std::span<const Key> keys, const HashFunction& function)
      : keys_(keys), function_(function) {}
  std::uint64_t operator()(std::size_t i) const noexcept override {
    return detail::HashAccess::raw(function_, keys_[i]).lo;
  }

 private:
  std::span<const Key> keys_;
  const HashFunction& function_;
};

/// Calls resolve(hashes, begin) for each block of the hashes that `function` makes of the keys,
/// which are texts, bytes or std::uint64_t. What kind of function it is is asked once.
template <typename Key, typename Resolve>
void for_each_hashed_block(std::span<const Key> keys, const HashFunction& function,
                           Resolve&& resolve) {
  using detail::HashAccess;
  if (HashAccess::id(function) == hashing::KeyHashId::xxh3) {
    const std::uint64_t seed = function.seed();
    for_each_block(
        keys, [seed](const Key& key) { return hash_key(key, seed); }, resolve);
  } else {
    for_each_block(
        keys, [&](const Key& key) { return HashAccess::raw(function, key); }, resolve);
  }
}

/// The same for hashes, which `function` must have made: throws Error(usage) at the block with one
/// that another made.
template <typename Resolve>
void for_each_hashed_block(std::span<const KeyHash> hashes, const HashFunction& function,
                           Resolve&& resolve) {
  using detail::HashAccess;
  std::array<Hash128, kLookupBlock> block;
  for (std::size_t begin = 0; begin < hashes.size(); begin += kLookupBlock) {
    const auto part = hashes.subspan(begin, std::min(kLookupBlock, hashes.size() - begin));
    bool all_made = true;  // without a branch a hash
    for (std::size_t i = 0; i < part.size(); ++i) {
      all_made &= HashAccess::made(function, part[i]);
      block[i] = HashAccess::bits(part[i]);
    }
    if (!all_made) {
      for (const KeyHash& hash : part) HashAccess::checked(function, hash);
    }
    resolve(std::span<const Hash128>(block).first(part.size()), begin);
  }
}

}  // namespace crivo::index
