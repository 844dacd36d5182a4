// SPDX-License-Identifier: Apache-2.0
/// The build of one partition of one level, from sorted hashes to seeds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/phast/kernel.hpp"
#include "structures/phast/occupancy.hpp"
#include "structures/phast/parameters.hpp"
#include "structures/phast/shape.hpp"

namespace crivo::phast {

/// What a partition adds to its level. A partition's values are as many as its share of the keys,
/// so that holes and bumped keys are equally many over all partitions, but not in each.
struct PartitionResult {
  std::uint64_t keys = 0;
  base::Bytes seeds;                 ///< packed; a whole number of bytes
  std::vector<std::uint32_t> holes;  ///< ascending; from the partition's first value
  std::vector<Hash128> bumped;       ///< the hashes that have no value here
};

/// Builds partitions of levels of one shape, one after another, in memory that it keeps. One thread
/// at a time.
class PartitionBuilder {
 public:
  /// Bytes a key of the largest partition, and of a result.
  static constexpr double kBuildBytes = 10;
  static constexpr double kResultBytes = 0.7;

  PartitionBuilder(const Parameters& parameters, const LevelShape& shape);

  /// Partition `index`, of `keys`, which ascend and have its number as the first
  /// shape.partition_bits bits. Expected O(keys).
  PartitionResult build(std::uint64_t index, std::span<const Hash128> keys);
  /// Of the partition that was built last, of so many keys: the value of each, from the partition's
  /// first; of those that were bumped PartRanks::kBumped.
  std::vector<std::uint32_t> ranks(std::size_t keys) const;
  /// The number of its values.
  std::uint32_t values() const noexcept { return values_; }

 private:
  void assign_buckets(std::uint64_t index, std::span<const Hash128> keys);
  void order_buckets();
  void seed_bucket(std::uint32_t bucket);
  bool take_values(std::uint32_t first, std::uint32_t keys, std::uint32_t seed);
  std::uint32_t bucket_size(std::uint32_t bucket) const {
    return starts_[bucket + 1] - starts_[bucket];
  }

  LevelShape shape_;
  unsigned seed_bits_;
  const Searches& searches_;
  std::array<std::uint32_t, kMaxBucketKeys + 1> weights_;
  std::uint32_t bias_;

  std::uint32_t values_ = 0;              ///< of the partition
  std::uint64_t bucket_step_;             ///< 2^32 * values a bucket
  std::vector<std::uint32_t> positions_;  ///< per key: its place among the partition's values
  std::vector<std::uint16_t> spreading_;  ///< per key: what spread_in_slice() takes
  std::vector<std::uint32_t> starts_;     ///< per bucket: the index of its first key
  std::vector<std::uint32_t> order_;      ///< the buckets in the order in which they are seeded
  std::vector<std::uint32_t> order_count_;
  std::vector<std::uint16_t> seeds_;  ///< per bucket; 0 = bumped
  Occupancy occupancy_;
  Candidates candidates_;
};

}  // namespace crivo::phast
