/// How the public batch lookups go over their keys: a block is hashed, then resolved as one.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "crivo/hash.hpp"

namespace crivo::api {

inline constexpr std::size_t kLookupBlock = 64;

/// Calls resolve(hashes, begin) for each block of the hashes of keys[0, count).
template <typename Resolve>
void for_each_hashed_block(std::span<const std::string_view> keys, std::uint64_t seed,
                           Resolve&& resolve) {
  constexpr std::size_t kAhead = 8;  // keys lie anywhere in memory: their text is fetched ahead
  std::array<Hash128, kLookupBlock> hashes;
  for (std::size_t begin = 0; begin < keys.size(); begin += kLookupBlock) {
    const std::size_t size = std::min(kLookupBlock, keys.size() - begin);
    for (std::size_t i = 0; i < size; ++i) {
      if (begin + i + kAhead < keys.size()) __builtin_prefetch(keys[begin + i + kAhead].data());
      hashes[i] = hash_key(keys[begin + i], seed);
    }
    resolve(std::span<const Hash128>(hashes).first(size), begin);
  }
}

}  // namespace crivo::api
