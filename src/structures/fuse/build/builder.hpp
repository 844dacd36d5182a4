// SPDX-License-Identifier: Apache-2.0
/// Builds a static function key -> value of any width from 1 to 64 bits on binary fuse graphs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/build/assembly.hpp"
#include "structures/build/filter.hpp"
#include "structures/fuse/graph.hpp"
#include "structures/retrieval/build/value_source.hpp"

namespace crivo::filter {

/// Type::forecast, Type::plan and Type::open of the fuse filter.
Forecast forecast_fuse(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_fuse(std::uint64_t n, const FilterOptions& options);

}  // namespace crivo::filter

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
  /// Builds a section of the given shape, with values of `width` bits, at most those of `Value`.
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
  /// Each key's first slot and its offsets (struct Edge in shard.cpp).
  std::vector<std::uint64_t> edges_;
  /// How many keys take each slot, and the XOR of their indices.
  std::vector<std::uint32_t> incidence_;
  /// The queue of slots that at one time a single key took (upper half), with that key (lower
  /// half). In its place there come to stand, in sequence, the keys that were peeled.
  std::vector<std::uint64_t> peeled_;
  std::size_t peeled_count_ = 0;
  std::vector<Value> slots_;
};

/// The section (formats/fuse.md) of n keys with `arity` slots each, 3 or 4: see bits_per_key(). Its
/// bytes depend on the keys and values alone, not on threads. Parts throw Error(bad_input) if the
/// hashes are so unlike random ones that they fail. O(n); memory: of the shards in work 24 bytes
/// and three values a key, and the slots of those that wait to be written.
std::unique_ptr<Assembly> plan(std::uint64_t n, unsigned width, unsigned arity,
                               retrieval::ValueSource values, HashPart part = HashPart::whole);

/// Returns the bits a key of a section of n keys without its header, for 0 where n is 0. From 10^6
/// keys on at most 1.085 `width` for an arity of 4 and 1.16 for 3, and a little for each shard. As
/// shards have whole segments, this is within 0.5 % from 20,000 keys on, and within 2 % before.
double bits_per_key(std::uint64_t n, unsigned width, unsigned arity);

}  // namespace crivo::fuse
