/// The ordinary hash functions that the experiments compare.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "experiments/key_sets.hpp"
#include "file/container.hpp"
#include "keys/key_hash.hpp"
#include "seeds/range.hpp"
#include "stream/sorted_hashes.hpp"
#include "util/hash128.hpp"

namespace crivo::experiments {

struct NamedHash {
  std::string_view symbol;  ///< the dissertation's
  std::string_view name;
  file::KeyHash id;
  seeds::Range range;  ///< the dissertation's for it
};

/// The dissertation's three, as all its tables order them, and today's.
inline constexpr std::array<NamedHash, 4> kNamedHashes{{
    {"hu", "universal", file::KeyHash::universal, seeds::Range::modulo},
    {"hz", "Zobrist", file::KeyHash::zobrist, seeds::Range::modulo},
    {"hj", "Jenkins", file::KeyHash::jenkins, seeds::Range::mask_xor},
    {"xxh3", "XXH3", file::KeyHash::xxh3_128, seeds::Range::modulo},
}};
inline constexpr std::size_t kOldHashes = 3;
inline constexpr const NamedHash& kXxh3 = kNamedHashes[3];

/// The function that a seed picks.
keys::SeededHash seeded(const NamedHash& hash, std::uint64_t seed);

/// The hashes of the first `count` keys, sorted, with the CPU time of all threads that it took.
struct HashedKeySet {
  stream::SortedHashes hashes;
  double seconds = 0;
};
/// Throws Error(bad_input) if two keys have one hash.
HashedKeySet hash_and_sort(const KeySet& keys, std::uint64_t count, const keys::SeededHash& hash,
                           unsigned threads);

}  // namespace crivo::experiments
