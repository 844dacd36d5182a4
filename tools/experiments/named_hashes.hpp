// SPDX-License-Identifier: Apache-2.0
/// The ordinary hash functions that the experiments compare.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "experiments/key_sets.hpp"
#include "file/container.hpp"
#include "hashing/hash128.hpp"
#include "hashing/hash_family.hpp"
#include "stream/sorted_hashes.hpp"
#include "structures/classic/range.hpp"

namespace crivo::experiments {

struct NamedHash {
  std::string_view symbol;  ///< the dissertation's
  std::string_view name;
  hashing::KeyHashId id;
  classic::Range range;  ///< the dissertation's for it
};

/// The dissertation's three, as all its tables order them, and today's.
inline constexpr std::array<NamedHash, 4> kNamedHashes{{
    {"hu", "universal", hashing::KeyHashId::universal, classic::Range::modulo},
    {"hz", "Zobrist", hashing::KeyHashId::zobrist, classic::Range::modulo},
    {"hj", "Jenkins", hashing::KeyHashId::jenkins, classic::Range::mask_xor},
    {"xxh3", "XXH3", hashing::KeyHashId::xxh3, classic::Range::modulo},
}};
inline constexpr std::size_t kOldHashes = 3;
inline constexpr const NamedHash& kXxh3 = kNamedHashes[3];

/// A run takes one of the four functions that a seed makes of a key, so that four runs hash once.
inline constexpr std::uint64_t kRunsASeed = 4;

/// The function that a seed picks.
hashing::SeededHash seeded(const NamedHash& hash, std::uint64_t seed);

/// The hashes of the first `count` keys, sorted, each with its key's place in the set, and the CPU
/// time that it took on one thread.
struct HashedKeySet {
  stream::SortedHashes hashes;
  double seconds = 0;
};
/// Throws Error(bad_input) if two keys have one hash.
HashedKeySet hash_and_sort(const KeySet& keys, std::uint64_t count,
                           const hashing::SeededHash& hash);

}  // namespace crivo::experiments
