// SPDX-License-Identifier: Apache-2.0
/// The build of one partition of one level, from sorted hashes to seeds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/build/assembly.hpp"
#include "structures/phast/build/kernel.hpp"
#include "structures/phast/build/occupancy.hpp"
#include "structures/phast/build/parameters.hpp"
#include "structures/phast/shape.hpp"

namespace crivo::phast {

/// The share of a level that a partition adds. A partition's values are as many as its share of the
/// keys, so that holes and bumped keys are equally many over all partitions, but not in each.
struct PartitionResult {
  std::uint64_t keys = 0;
  base::Bytes seeds;                 ///< packed; a whole number of bytes
  std::vector<std::uint32_t> holes;  ///< ascending; from the partition's first value
  std::vector<Hash128> bumped;       ///< the hashes that have no value here
};

/// Builds partitions of levels of one shape, one after another, in memory that it keeps. A
/// partition's keys come in slices: a bucket is seeded once those are known that may have to be
/// seeded before it, and is then forgotten but for its seed. One thread at a time.
class PartitionBuilder {
 public:
  /// Bytes a key of the largest partition whose keys come at once, or in slices; and of a result.
  static constexpr double kBuildBytes = 10;
  static constexpr double kSlicedBytes = 3;
  static constexpr double kResultBytes = 0.7;

  PartitionBuilder(const Parameters& parameters, const LevelShape& shape);

  /// Begins partition `index`, which has so many keys.
  void begin(std::uint64_t index, std::uint64_t keys);
  /// Its next keys, which ascend and have its number as the first shape.partition_bits bits. They
  /// may go when it returns. Expected O(keys).
  void add(std::span<const Hash128> keys);
  /// Ends the partition, all of whose keys were added.
  PartitionResult finish();

  /// The same of a partition with all its keys at once.
  PartitionResult build(std::uint64_t index, std::span<const Hash128> keys) {
    begin(index, keys.size());
    add(keys);
    return finish();
  }
  /// The values in the partition that was built last, of so many keys that came at once: of each,
  /// from the partition's first; PartRanks::kBumped for those that were bumped.
  std::vector<std::uint32_t> ranks(std::size_t keys) const;
  /// The number of its values.
  std::uint32_t values() const noexcept { return values_; }

 private:
  void assign_buckets(std::span<const Hash128> keys);
  void seed_before(std::uint32_t turn, std::uint32_t bucket);
  void order_buckets(std::uint32_t turn, std::uint32_t bucket);
  void seed_bucket(std::uint32_t bucket);
  bool take_values(std::uint32_t first, std::uint32_t keys, std::uint32_t seed);
  void bump_before(std::uint32_t bucket, std::span<const Hash128> keys);
  void keep_waiting(std::span<const Hash128> keys);
  std::uint32_t bucket_size(std::uint32_t bucket) const {
    return starts_[bucket + 1] - starts_[bucket];
  }
  /// When a bucket is seeded: those of larger sizes before others that stand as far.
  std::uint32_t turn_of(std::uint32_t bucket, std::uint32_t size) const {
    return bucket + most_weight_ - weights_[size];
  }

  LevelShape shape_;
  unsigned seed_bits_;
  const Searches& searches_;
  std::array<std::uint32_t, kMaxBucketKeys + 1> weights_;
  std::uint32_t most_weight_;
  std::uint32_t bias_;

  // The partition, whose keys, buckets and values are counted from its own first.
  std::uint64_t first_value_ = 0;
  std::uint32_t values_ = 0;
  std::uint64_t bucket_step_;  ///< 2^32 * values a bucket
  bool bumps_all_ = false;
  PartitionResult result_;
  std::uint32_t added_ = 0;     ///< keys
  std::uint32_t complete_ = 0;  ///< buckets before this one have all their keys
  std::uint32_t turn_ = 0;      ///< buckets whose turn is before this one are seeded
  std::uint32_t done_ = 0;      ///< buckets before this one are seeded, or bumped

  std::uint32_t first_placed_ = 0;        ///< the key of positions_[0] and spreading_[0]
  std::vector<std::uint32_t> positions_;  ///< per key: its place among the partition's values
  std::vector<std::uint16_t> spreading_;  ///< per key: what spread_in_slice() takes
  std::uint32_t first_waiting_ = 0;       ///< the key of waiting_[0]
  std::vector<Hash128> waiting_;          ///< keys of buckets that are not done, of former slices
  std::vector<std::uint32_t> starts_;     ///< per bucket: the index of its first key
  std::vector<std::uint32_t> order_;      ///< the buckets in the order in which they are seeded
  std::vector<std::uint32_t> order_count_;
  std::vector<std::uint16_t> seeds_;  ///< per bucket; 0 = bumped
  Occupancy occupancy_;
  Candidates candidates_;
};

}  // namespace crivo::phast
