/// How a key's hash becomes the slots that make up its value: binary fuse graphs (Graefe and
/// Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor Filters", JEA 2022; the graphs are from
/// Dietzfelbinger and Walzer, ESA 2019), one for each shard of about 10^6 keys. formats/fuse.md
/// specifies all of it.
#pragma once

#include <cstdint>

#include "util/bits.hpp"
#include "util/hash128.hpp"

namespace crivo::fuse {

/// Sets of fewer keys take the form of small ribbons, which has no size at which it fails.
inline constexpr std::uint64_t kSmallSetKeys = 20'000;
/// Graphs of a shard that the builder may try.
inline constexpr unsigned kSeeds = 32;
/// A segment has 2^l slots, with l at most so large.
inline constexpr unsigned kMaxSegmentBits = 16;
/// 2^g shards, with g at most so large.
inline constexpr unsigned kMaxShardBits = 32;
/// Keys that a shard may have: more in one, of shards that have 1.8 * 10^6 at most in the mean, are
/// no work of a hash function.
inline constexpr std::uint64_t kMaxShardKeys = (std::uint64_t{1} << 21) - 1;

/// The dimensions of all shards of a section.
struct Shape {
  unsigned arity;          ///< slots of a key, 3 or 4, one in each of as many segments in a row
  unsigned shard_bits;     ///< g
  unsigned segment_bits;   ///< l
  std::uint64_t segments;  ///< of a shard, at least `arity`

  std::uint64_t shards() const noexcept { return std::uint64_t{1} << shard_bits; }
  std::uint64_t segment_slots() const noexcept { return std::uint64_t{1} << segment_bits; }
  /// The slots of a shard.
  std::uint64_t slots() const noexcept { return segments << segment_bits; }
  /// The slots of a shard in which a key's first one may lie.
  std::uint64_t starts() const noexcept { return (segments - arity + 1) << segment_bits; }
};

/// g for n keys: at most 1.8 * 10^6 keys a shard in the mean.
constexpr unsigned shard_bits(std::uint64_t n) noexcept {
  unsigned bits = 0;
  while ((n >> bits) > 1'800'000 && bits < kMaxShardBits) ++bits;
  return bits;
}

/// The shape of n keys of which `largest` are in the fullest shard, chosen so that most graphs can
/// be solved: the fewer slots in a segment, the less the first and last segments waste, but the
/// nearer the load must stay to that of graphs without segments.
constexpr Shape choose_shape(std::uint64_t n, unsigned arity, std::uint64_t largest) noexcept {
  struct Rule {
    std::uint64_t below;  // keys of a shard
    unsigned segment_bits;
    std::uint64_t starts;  // for 1000 keys
  };
  // Measured: nine of ten graphs at least can be solved.
  constexpr Rule kRules[2][5] = {{{28'000, 9, 1185},
                                  {90'000, 10, 1160},
                                  {200'000, 11, 1132},
                                  {900'000, 12, 1123},
                                  {UINT64_MAX, 13, 1118}},
                                 {{28'000, 8, 1142},
                                  {75'000, 9, 1110},
                                  {200'000, 10, 1090},
                                  {550'000, 11, 1071},
                                  {UINT64_MAX, 12, 1058}}};
  const Rule* rule = kRules[arity - 3];
  while (largest >= rule->below) ++rule;
  const std::uint64_t slots = util::div_ceil(largest * rule->starts, 1000);
  const std::uint64_t segments =
      util::div_ceil(slots, std::uint64_t{1} << rule->segment_bits) + arity - 1;
  return {arity, shard_bits(n), rule->segment_bits, segments};
}

/// What a shard's graph takes from its seed.
constexpr std::uint64_t seed_factor(unsigned seed) noexcept {
  return util::mix64(seed + 0x9e3779b97f4a7c15U) | 1;
}

/// A key's first slot in its shard: ascending in `hi`.
inline std::uint64_t first_slot(Hash128 hash, unsigned shard_bits, std::uint64_t starts) noexcept {
  return util::mulhi(hash.hi << shard_bits, starts);
}

/// Where a key's slots lie in the segments after the first one's: 16 bits for each from the top, of
/// which the lowest l count.
constexpr std::uint64_t offsets(Hash128 hash, std::uint64_t factor) noexcept {
  return hash.lo * factor;
}

/// The slot in the segment of `segment_slots` slots that is j after that of `first`, j from 1 on.
constexpr std::uint64_t later_slot(std::uint64_t first, std::uint64_t offsets, unsigned j,
                                   std::uint64_t segment_slots) noexcept {
  return (first + j * segment_slots) ^ ((offsets >> (64 - 16 * j)) & (segment_slots - 1));
}

}  // namespace crivo::fuse
