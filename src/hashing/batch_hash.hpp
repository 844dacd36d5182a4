// SPDX-License-Identifier: Apache-2.0
/// Hashes of many keys together.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "hashing/hash128.hpp"

namespace crivo::hashing {

/// hash_key() under one seed. Its way through a key depends on the key's length, which no processor
/// foresees: keys of one batch are hashed by classes of length, each in a loop of its own, and
/// those of 17 to 128 bytes by a loop that has no branches at all. Immutable.
class BatchHash {
 public:
  static constexpr std::size_t kMostKeys = 256;

  explicit BatchHash(std::uint64_t seed);

  /// hashes[i] = hash_key(keys[i], seed) of at most kMostKeys keys.
  void operator()(std::span<const std::string_view> keys, Hash128* hashes) const noexcept;

  /// hashes[i] = hash_key(keys[i]) of each `i` of `members`, whose keys have a certain number of
  /// pairs of 16 bytes (xxh3::sums_of_pairs()).
  using HashPairs = void (*)(const std::string_view* keys, std::span<const std::uint8_t> members,
                             const detail::xxh3::PreparedSeed& seed, Hash128* hashes) noexcept;

 private:
  detail::xxh3::PreparedSeed seed_;
  const HashPairs* hash_pairs_;  ///< of 1 to 4 pairs, as this processor does it
};

/// Calls visit(i) for each of at most BatchHash::kMostKeys keys, shorter ones first: most hash
/// functions go the same way through keys of one length, which a processor then foresees.
template <typename Visit>
void for_each_by_length(std::span<const std::string_view> keys, Visit&& visit) {
  constexpr std::size_t kLengths = 128;  // from the last one on they are as one
  const auto length = [&](std::size_t i) { return std::min(keys[i].size(), kLengths - 1); };
  std::array<std::uint16_t, kLengths> begins{};
  for (std::size_t i = 0; i < keys.size(); ++i) ++begins[length(i)];
  std::uint16_t begin = 0;
  for (std::uint16_t& count : begins) {
    count = std::exchange(begin, static_cast<std::uint16_t>(begin + count));
  }
  std::array<std::uint8_t, BatchHash::kMostKeys> order;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    order[begins[length(i)]++] = static_cast<std::uint8_t>(i);
  }
  for (std::size_t at = 0; at < keys.size(); ++at) visit(std::size_t{order[at]});
}

/// Those of 1 to 4 pairs, for processors with base::Cpu::avx512; only where the target is x86-64.
const BatchHash::HashPairs* hash_pairs_avx512() noexcept;

}  // namespace crivo::hashing
