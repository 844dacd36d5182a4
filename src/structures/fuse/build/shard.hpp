// SPDX-License-Identifier: Apache-2.0
/// The build of one shard: a graph in which the keys can be *peeled*, each leaving by a slot that
/// no other key takes any more, and the values that make each key's slots add up to its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/fuse/graph.hpp"

namespace crivo::fuse {

/// A shard's bytes in the file.
struct ShardImage {
  unsigned seed = 0;
  std::uint64_t segments = 0;
  base::Bytes slots;  ///< of so many segments, of `width` bits each, packed
};

/// Builds shards, one at a time, in memory that it keeps: 24 bytes a key, and a value a slot.
/// `Value` is std::uint8_t, 16, 32 or 64.
template <typename Value>
class ShardBuilder {
 public:
  /// Of a section of the given shape, with values of `width` bits, at most those of `Value`.
  ShardBuilder(const Shape& shape, unsigned width, HashPart part = HashPart::whole)
      : shape_(shape), width_(width), part_(part) {}

  /// The image, which depends on the arguments alone: of `segments` segments, or where no seed
  /// works with those, of 1/32 more, up to seven times. Nothing if that does not help. `keys` are
  /// ascending, at most kMaxShardKeys, and values[i] is that of keys[i]. O(keys) a seed.
  std::optional<ShardImage> build(std::span<const Hash128> keys, std::span<const Value> values,
                                  std::uint64_t segments);

 private:
  template <unsigned kArity>
  bool peel(std::span<const Hash128> keys, std::uint64_t starts, unsigned seed);
  template <unsigned kArity>
  void assign(std::span<const Value> values);
  base::Bytes pack() const;

  Shape shape_;
  unsigned width_;
  HashPart part_;
  /// Of each key: its first slot and its offsets (struct Edge in shard.cpp).
  std::vector<std::uint64_t> edges_;
  /// Of each slot: how many keys take it, and the XOR of their indices.
  std::vector<std::uint32_t> incidence_;
  /// The queue of slots that at one time a single key took (upper half), with that key (lower
  /// half). In its place there come to stand, in sequence, the keys that were peeled.
  std::vector<std::uint64_t> peeled_;
  std::size_t peeled_count_ = 0;
  std::vector<Value> slots_;
};

}  // namespace crivo::fuse
