/// How the public batch lookups go over their keys: a block is hashed, then resolved as one.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "crivo/hash.hpp"

namespace crivo::api {

/// Long enough that the start of a block, whose cache misses nothing overlaps, does not count.
inline constexpr std::size_t kLookupBlock = 1024;

/// Asks for the text of a key, if that lies elsewhere.
inline void prefetch_key(std::string_view key) noexcept {
  __builtin_prefetch(key.data());
}
inline void prefetch_key(std::span<const std::byte> key) noexcept {
  __builtin_prefetch(key.data());
}
inline void prefetch_key(std::uint64_t) noexcept {}

/// Calls resolve(hashes, begin) for each block of the hashes of the keys, which are of any type
/// that hash_key() takes; hash_of(key) is a key's hash.
template <typename Key, typename HashOf, typename Resolve>
requires std::invocable<HashOf, Key>
void for_each_hashed_block(std::span<const Key> keys, const HashOf& hash_of, Resolve&& resolve) {
  constexpr std::size_t kAhead = 8;  // keys lie anywhere in memory: their text is fetched ahead
  std::array<Hash128, kLookupBlock> hashes;
  for (std::size_t begin = 0; begin < keys.size(); begin += kLookupBlock) {
    const std::size_t size = std::min(kLookupBlock, keys.size() - begin);
    for (std::size_t i = 0; i < size; ++i) {
      if (begin + i + kAhead < keys.size()) prefetch_key(keys[begin + i + kAhead]);
      hashes[i] = hash_of(keys[begin + i]);
    }
    resolve(std::span<const Hash128>(hashes).first(size), begin);
  }
}

/// The same for keys whose hash is hash_key(key, seed).
template <typename Key, typename Resolve>
void for_each_hashed_block(std::span<const Key> keys, std::uint64_t seed, Resolve&& resolve) {
  for_each_hashed_block(
      keys, [seed](const Key& key) { return hash_key(key, seed); }, std::forward<Resolve>(resolve));
}

}  // namespace crivo::api
