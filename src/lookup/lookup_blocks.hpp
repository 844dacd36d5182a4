// SPDX-License-Identifier: Apache-2.0
/// How the public batch lookups go over their keys: a block is hashed, then resolved as one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "crivo/key.hpp"
#include "lookup/key_hash.hpp"
#include "structures/mphf.hpp"

namespace crivo::index {

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

/// halves[i] = the first half of the hash that `function`, whose key hash is the usual one, makes
/// of keys[begin + i]: of numbers several at a time where the processor can.
void first_halves(std::span<const std::string_view> keys, std::size_t begin,
                  const HashFunction& function, std::span<std::uint64_t> halves) noexcept;
void first_halves(std::span<const std::span<const std::byte>> keys, std::size_t begin,
                  const HashFunction& function, std::span<std::uint64_t> halves) noexcept;
void first_halves(std::span<const std::uint64_t> keys, std::size_t begin,
                  const HashFunction& function, std::span<std::uint64_t> halves) noexcept;

/// What a lookup looks at of a hash.
enum class Halves : std::uint8_t { both, first };

/// hashes[i] = the hash that `function` makes of keys[begin + i], of at most kLookupBlock. The
/// second half may be 0 if only the first is asked for.
void hash_block(std::span<const std::string_view> keys, std::size_t begin,
                const HashFunction& function, Halves halves, std::span<Hash128> hashes) noexcept;
void hash_block(std::span<const std::span<const std::byte>> keys, std::size_t begin,
                const HashFunction& function, Halves halves, std::span<Hash128> hashes) noexcept;
void hash_block(std::span<const std::uint64_t> keys, std::size_t begin,
                const HashFunction& function, Halves halves, std::span<Hash128> hashes) noexcept;
/// The same for hashes, which `function` must have made. Throws Error(usage) otherwise.
void hash_block(std::span<const KeyHash> keys, std::size_t begin, const HashFunction& function,
                Halves halves, std::span<Hash128> hashes);

/// Calls resolve(halves, begin) for each block of the first halves that `function`, whose key hash
/// is the usual one, makes of the keys.
template <typename Key, typename Resolve>
void for_each_half_block(std::span<const Key> keys, const HashFunction& function,
                         Resolve&& resolve) {
  std::array<std::uint64_t, kLookupBlock> halves;
  for (std::size_t begin = 0; begin < keys.size(); begin += kLookupBlock) {
    const auto block = std::span(halves).first(std::min(kLookupBlock, keys.size() - begin));
    first_halves(keys, begin, function, block);
    resolve(std::span<const std::uint64_t>(block), begin);
  }
}

/// Calls resolve(hashes, begin) for each block of the hashes that `function` makes of the keys,
/// which are texts, bytes, std::uint64_t or hashes: hash_block().
template <typename Key, typename Resolve>
void for_each_hashed_block(std::span<const Key> keys, const HashFunction& function,
                           Resolve&& resolve, Halves parts = Halves::both) {
  std::array<Hash128, kLookupBlock> hashes;
  for (std::size_t begin = 0; begin < keys.size(); begin += kLookupBlock) {
    const auto block = std::span(hashes).first(std::min(kLookupBlock, keys.size() - begin));
    hash_block(keys, begin, function, parts, block);
    resolve(std::span<const Hash128>(block), begin);
  }
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

}  // namespace crivo::index
