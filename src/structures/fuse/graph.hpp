// SPDX-License-Identifier: Apache-2.0
/// How a key's hash becomes the slots that make up its value: binary fuse graphs (Graefe and
/// Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor Filters", JEA 2022; the graphs are from
/// Dietzfelbinger and Walzer, ESA 2019), one for each shard of 400,000 to 800,000 keys.
/// formats/fuse.md specifies all of it.
#pragma once

#include <cstdint>

#include "base/arithmetic.hpp"
#include "hashing/hash128.hpp"
#include "structures/retrieval/fingerprint_filter.hpp"

namespace crivo::fuse {

/// Sets of fewer keys take the form of small ribbons: graphs of so few would take 1.22 slots a key
/// and more.
inline constexpr std::uint64_t kSmallSetKeys = 4'096;
/// Graphs of a shard that the builder may try at each number of segments.
inline constexpr unsigned kSeeds = 32;
/// A segment has 2^l slots, with l from kMinSegmentBits, so that every width makes whole bytes, to
/// kMaxSegmentBits.
inline constexpr unsigned kMinSegmentBits = 3;
inline constexpr unsigned kMaxSegmentBits = 16;
/// A shard has fewer segments than 2 to the power of this.
inline constexpr unsigned kSegmentCountBits = 24;
/// 2^g shards, with g at most so large.
inline constexpr unsigned kMaxShardBits = 32;
/// Keys that a shard may have: more in one, of shards that have 800,000 at most in the mean, are no
/// work of a hash function.
inline constexpr std::uint64_t kMaxShardKeys = (std::uint64_t{1} << 21) - 1;

using retrieval::HashPart;

/// The shape that all shards of a section share.
struct Shape {
  unsigned arity;         ///< slots of a key, 3 or 4, one in each of as many segments in a row
  unsigned shard_bits;    ///< g
  unsigned segment_bits;  ///< l

  std::uint64_t shards() const noexcept { return std::uint64_t{1} << shard_bits; }
  std::uint64_t segment_slots() const noexcept { return std::uint64_t{1} << segment_bits; }
  /// The slots of a shard of so many segments, at least `arity`.
  std::uint64_t slots(std::uint64_t segments) const noexcept { return segments << segment_bits; }
  /// The slots of such a shard in which a key's first one may lie.
  std::uint64_t starts(std::uint64_t segments) const noexcept {
    return (segments - arity + 1) << segment_bits;
  }
};

/// g for n keys: at most 800,000 keys a shard in the mean. So a shard in work takes 64 MB at most,
/// whatever the width, and few enough shards end in segments that are not full.
constexpr unsigned shard_bits(std::uint64_t n) noexcept {
  unsigned bits = 0;
  while ((n >> bits) > 800'000 && bits < kMaxShardBits) ++bits;
  return bits;
}

/// By the keys of a shard in the mean: the fewer slots in a segment, the less the first and last
/// segments waste, but the nearer the load must stay to that of graphs without segments.
struct Rule {
  std::uint64_t below;  ///< keys
  unsigned segment_bits;
  std::uint64_t starts;  ///< for 1000 keys
};
/// The rules of either arity. Measured: about nine of ten graphs at least can be solved.
inline constexpr Rule kRules[2][7] = {{{7'000, 8, 1150},
                                       {12'000, 8, 1170},
                                       {28'000, 9, 1185},
                                       {90'000, 10, 1160},
                                       {400'000, 11, 1132},
                                       {UINT64_MAX, 12, 1123}},
                                      {{7'000, 7, 1140},
                                       {12'000, 8, 1110},
                                       {28'000, 8, 1142},
                                       {75'000, 9, 1110},
                                       {200'000, 10, 1090},
                                       {460'000, 11, 1064},
                                       {UINT64_MAX, 11, 1067}}};

/// The rule for a section of n keys.
constexpr const Rule& rule_for(std::uint64_t n, unsigned arity) noexcept {
  const Rule* rule = kRules[arity - 3];
  while (n >> shard_bits(n) >= rule->below) ++rule;
  return *rule;
}

/// The shape of n keys.
constexpr Shape choose_shape(std::uint64_t n, unsigned arity) noexcept {
  return {arity, shard_bits(n), rule_for(n, arity).segment_bits};
}

/// The segments of a shard of n keys that has `keys` of them.
constexpr std::uint64_t choose_segments(std::uint64_t n, unsigned arity,
                                        std::uint64_t keys) noexcept {
  const Rule& rule = rule_for(n, arity);
  const std::uint64_t starts = base::div_ceil(keys * rule.starts, 1000);
  const std::uint64_t full = base::div_ceil(starts, std::uint64_t{1} << rule.segment_bits);
  return (full == 0 ? 1 : full) + arity - 1;
}

/// Returns the factor that a shard's graph takes from its seed.
constexpr std::uint64_t seed_factor(unsigned seed) noexcept {
  return base::mix64(seed + 0x9e3779b97f4a7c15U) | 1;
}

/// A key's first slot in its shard: ascending in `hi`.
inline std::uint64_t first_slot(Hash128 hash, unsigned shard_bits, std::uint64_t starts) noexcept {
  return base::mulhi(hash.hi << shard_bits, starts);
}

}  // namespace crivo::fuse
