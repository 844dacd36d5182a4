// SPDX-License-Identifier: Apache-2.0
/// The arithmetic that the builder and the reader of a consensus function share.
/// formats/consensus.md specifies it. The function is of the family of Consensus-RecSplit (Lehmann,
/// Sanders, Walzer, "Combined Search and Encoding for Seeds, with an Application to Minimal Perfect
/// Hashing", ESA 2025): the hashes fall into buckets of exactly k keys; in each a binary *splitting
/// tree* halves the keys level by level, and each node's seed is read from a window of one string
/// of bits that overlaps those of the nodes before it, so that hardly a bit is lost. Here a
/// bucket's string stands by itself, and the last level, which tells the two keys of a pair apart,
/// needs no search: it is a system of linear equations, of one bit a pair.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/arithmetic.hpp"
#include "hashing/hash128.hpp"

namespace crivo::consensus {

/// A bucket has k = 2^K keys. A tree has the levels 0 to K - 2; the nodes of level l have k >> l
/// keys, at least 4.
inline constexpr unsigned kMinLogKeys = 9;
inline constexpr unsigned kMaxLogKeys = 12;
inline constexpr unsigned kMaxLevels = kMaxLogKeys - 1;
inline constexpr std::uint64_t kMaxKeys = std::uint64_t{1} << 48;

/// A node has at most so many bits of its own, and its window so many in all: its own and those of
/// the nodes before it.
inline constexpr unsigned kWindowBits = 15;

/// 2^bits hash partitions of a set of n keys: at most 2^18.5 keys each in the mean, and more than
/// 2^17.5 if there are several. A partition has whole buckets, boundaries, a salt and equations of
/// its own; the keys that are left over go to the *rest*, with those of all other partitions. In
/// large sets that takes 0.001 to 0.003 bits a key.
constexpr unsigned partition_bits(std::uint64_t n) noexcept {
  unsigned bits = 0;
  while ((n >> bits) > 370'727) ++bits;
  return bits;
}

/// The buckets of a partition have at most so many keys, more than any has by chance: what is
/// beyond is left over.
inline constexpr unsigned kLogMaxPartitionKeys = 19;

/// How many bits each level's nodes have in all: those of node j of level l end floor((j + 1) *
/// area / 2^l) bits after the level's beginning.
struct Shape {
  unsigned log_keys = 0;
  std::array<std::uint16_t, kMaxLevels> areas{};

  std::uint32_t keys() const noexcept { return 1U << log_keys; }
  unsigned levels() const noexcept { return log_keys - 1; }
  std::uint32_t max_buckets() const noexcept { return 1U << (kLogMaxPartitionKeys - log_keys); }
  /// The bits of a bucket's tree; whole bytes.
  std::uint32_t tree_bits() const noexcept {
    std::uint32_t bits = 0;
    for (const std::uint16_t area : areas) bits += area;
    return bits;
  }
  /// Whether no window but the root's reaches beyond its tree, where another's bits may be.
  bool has_whole_windows() const noexcept { return areas[0] + areas[1] / 2U >= kWindowBits; }
  /// Where node `node` of a level begins after the level's beginning.
  std::uint32_t begin(unsigned level, std::uint32_t node) const noexcept {
    return (areas[level] * node) >> level;
  }
};

/// Where a level's nodes are in the bytes of a tree. The string is stored from its end: bit t of
/// the tree is the string's bit tree_bits - 1 - t, so that a window has its latest bit lowest.
struct LevelPlace {
  std::uint32_t area = 0;
  std::uint32_t top = 0;  ///< tree_bits less the bits of the levels before

  /// The lowest bit of the window of a node.
  std::uint32_t window(unsigned level, std::uint32_t node) const noexcept {
    return top - ((area * (node + 1)) >> level);
  }
};

inline std::array<LevelPlace, kMaxLevels> level_places(const Shape& shape) noexcept {
  std::array<LevelPlace, kMaxLevels> places;
  std::uint32_t top = shape.tree_bits();
  for (unsigned level = 0; level < shape.levels(); ++level) {
    places[level] = {shape.areas[level], top};
    top -= shape.areas[level];
  }
  return places;
}

/// A node's *state* is 2 w + 1, where w is its window.
using State = std::uint16_t;

/// Returns the factor by which a state multiplies a key's bits. The shifts take the latest bits to
/// the top, where they decide for every key (only the low 16 bits count); a state alone would leave
/// keys whose bits make a small number, or one with many zeros at its end, on one side in most
/// nodes.
constexpr std::uint32_t multiplier(std::uint32_t state) noexcept {
  return state ^ (state << 9) ^ (state << 4);
}

/// The side (0 left, 1 right) to which a state sends a key.
constexpr std::uint32_t side(std::uint32_t state, std::uint16_t key_bits) noexcept {
  // The product's bit 15, in a place where nothing is above it.
  return (multiplier(state) * (static_cast<std::uint32_t>(key_bits) << 16)) >> 31;
}

/// Returns the bits of a key that a tree looks at. Salts from 1 on are for partitions in which salt
/// 0 finds no solution.
inline std::uint64_t material(Hash128 hash, unsigned salt) noexcept {
  if (salt == 0) return hash.lo;
  return base::mix64(hash.lo + base::mix64(hash.hi + salt));
}

/// The bits of a key that level `level` looks at: one of four sixteenths of its material in turn.
constexpr std::uint16_t key_bits(std::uint64_t material, unsigned level) noexcept {
  return static_cast<std::uint16_t>(material >> (level % 4 * 16));
}

/// The equation of a key in its pair: which of the columns from the pair's own on it sums.
inline constexpr unsigned kRowBits = 56;
constexpr std::uint64_t row(std::uint64_t material) noexcept {
  return (material * 0x9fb21c651e98df25U) >> (64 - kRowBits);
}

/// 1 if an odd number of bits are set.
inline std::uint32_t parity(std::uint64_t word) noexcept {
#if defined(__GNUC__)
  return static_cast<std::uint32_t>(__builtin_parityll(word));
#else
  return static_cast<std::uint32_t>(std::popcount(word)) & 1;
#endif
}

/// The hash that stands for `hash` in the rest, whose keys' own are anything but spread evenly: a
/// bijection, and its own inverse.
inline Hash128 rest_hash(Hash128 hash) noexcept {
  hash.lo ^= base::mix64(hash.hi + 1);
  hash.hi ^= base::mix64(hash.lo + 1);
  hash.lo ^= base::mix64(hash.hi + 1);
  return hash;
}

}  // namespace crivo::consensus
