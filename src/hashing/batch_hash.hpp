/// hash_key() of many keys together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "hashing/hash128.hpp"

namespace crivo::hashing {

/// hash_key() under one seed. Its way through a key depends on the key's length, which no processor
/// foresees: keys of one batch are hashed by classes of length, each in a loop of its own, and
/// those of 17 to 128 bytes by a loop that has no branches at all. Immutable.
class BatchHash {
 public:
  static constexpr std::size_t kMostKeys = 256;

  explicit BatchHash(std::uint64_t seed) noexcept;

  /// hashes[i] = hash_key(keys[i], seed) of at most kMostKeys keys.
  void operator()(std::span<const std::string_view> keys, Hash128* hashes) const noexcept;

 private:
  template <unsigned kPairs>
  Hash128 middle_hash(std::string_view key) const noexcept;

  std::uint64_t seed_;
  std::array<std::uint64_t, 16> secret_;  ///< the first words of XXH3's for the seed
};

}  // namespace crivo::hashing
