// SPDX-License-Identifier: Apache-2.0
#include "structures/phast/partition_builder.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/arithmetic.hpp"
#include "structures/bits/packed.hpp"
#include "structures/mphf.hpp"

namespace crivo::phast {
namespace {

/// A partition with more keys a bucket than this on average bumps them all: few of its buckets
/// would find a seed. It bounds the memory of the build.
constexpr std::uint32_t kMaxMeanLoad = 12;

}  // namespace

PartitionBuilder::PartitionBuilder(const Parameters& parameters, const LevelShape& shape)
    : shape_(shape),
      seed_bits_(parameters.seed_bits),
      searches_(searches(parameters.seed_bits, base::cpu())),
      weights_(scaled_weights(parameters, shape.slice_bits)),
      bias_(std::max(1U, parameters.bias >> (kMaxSliceBits - shape.slice_bits))),
      bucket_step_((shape.first_value(1) << 32) / shape.buckets) {}

PartitionResult PartitionBuilder::build(std::uint64_t index, std::span<const Hash128> keys) {
  values_ = static_cast<std::uint32_t>(shape_.first_value(index + 1) - shape_.first_value(index));
  PartitionResult result;
  result.keys = keys.size();
  result.seeds.resize(std::uint64_t{shape_.buckets} / 8 * seed_bits_);
  if (keys.size() > std::uint64_t{kMaxMeanLoad} * shape_.buckets) {
    result.holes.resize(values_);
    std::iota(result.holes.begin(), result.holes.end(), 0U);
    result.bumped.assign(keys.begin(), keys.end());
    seeds_.clear();
    return result;
  }

  assign_buckets(index, keys);
  occupancy_.reset(values_);
  order_buckets();
  seeds_.assign(shape_.buckets, 0);
  for (const std::uint32_t bucket : order_) seed_bucket(bucket);

  occupancy_.append_free(result.holes);
  result.bumped.reserve(result.holes.size());
  bits::PackedWriter packed(result.seeds.data());
  for (std::uint32_t b = 0; b < shape_.buckets; ++b) {
    packed.put(seeds_[b], seed_bits_);
    if (seeds_[b] != 0) continue;
    for (std::uint32_t i = starts_[b]; i < starts_[b + 1]; ++i) {
      result.bumped.push_back(keys[i]);
    }
  }
  return result;
}

std::vector<std::uint32_t> PartitionBuilder::ranks(std::size_t keys) const {
  std::vector<std::uint32_t> ranks(keys, PartRanks::kBumped);
  for (std::uint32_t b = 0; b < seeds_.size(); ++b) {
    if (seeds_[b] == 0) continue;
    for (std::uint32_t i = starts_[b]; i < starts_[b + 1]; ++i) {
      ranks[i] =
          positions_[i] + seeds_[b] % kShifts - shape_.lead() +
          static_cast<std::uint32_t>(spread_in_slice(spreading_[i], seeds_[b], shape_.slice_bits));
    }
  }
  return ranks;
}

void PartitionBuilder::assign_buckets(std::uint64_t index, std::span<const Hash128> keys) {
  const std::uint64_t first = shape_.first_value(index);
  positions_.resize(keys.size());
  spreading_.resize(keys.size());
  starts_.assign(shape_.buckets + 1, 0);
  std::uint32_t* const ends = starts_.data() + 1;
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t place = keys[i].hi << shape_.partition_bits;
    ends[base::mulhi(place, shape_.buckets)] = i + 1;  // the last key of a bucket has the last word
    positions_[i] = static_cast<std::uint32_t>(base::mulhi(keys[i].hi, shape_.keys) - first);
    // From the slice's begin: under every odd factor 2^15 more, as spread() has 2^15 less.
    spreading_[i] = static_cast<std::uint16_t>(keys[i].hi ^ 0x8000);
  }
  for (std::uint32_t b = 1; b <= shape_.buckets; ++b)
    starts_[b] = std::max(starts_[b], starts_[b - 1]);
}

/// A counting sort by bucket number less weight, ties by bucket number.
void PartitionBuilder::order_buckets() {
  const std::uint32_t top = *std::ranges::max_element(weights_);
  const auto searched = [&](std::uint32_t size) { return size - 1 < kMaxBucketKeys; };
  order_count_.assign(std::size_t{shape_.buckets} + top + 1, 0);
  std::uint32_t total = 0;
  for (std::uint32_t b = 0; b < shape_.buckets; ++b) {
    const std::uint32_t size = bucket_size(b);
    if (!searched(size)) continue;
    ++order_count_[b + top - weights_[size]];
    ++total;
  }
  std::uint32_t before = 0;
  for (std::uint32_t& count : order_count_) before += std::exchange(count, before);
  order_.resize(total);
  for (std::uint32_t b = 0; b < shape_.buckets; ++b) {
    const std::uint32_t size = bucket_size(b);
    if (searched(size)) order_[order_count_[b + top - weights_[size]]++] = b;
  }
}

void PartitionBuilder::seed_bucket(std::uint32_t bucket) {
  const std::uint32_t first = starts_[bucket];
  const std::uint32_t keys = bucket_size(bucket);
  // Not above any of the keys' positions, because a key of bucket b has place * buckets >= b *
  // 2^64, and the partition's places are first_value(1) or one more.
  const auto start = static_cast<std::uint32_t>((bucket * bucket_step_) >> 32);
  const std::uint32_t place = Occupancy::kBefore + start - shape_.lead();
  const std::uint32_t before = place % 8;
  const Query query{occupancy_.at(place - before),
                    positions_.data() + first,
                    spreading_.data() + first,
                    start - before,
                    shape_.slice_bits,
                    bias_ - before};
  std::uint32_t best = searches_[keys](query, candidates_);
  while (best != kNoCandidate) {
    const std::uint32_t family = best & ((1U << kFamilyBits) - 1);
    const std::uint32_t seed = family << kShiftBits | candidates_.shifts[family];
    if (take_values(first, keys, seed)) {
      seeds_[bucket] = static_cast<std::uint16_t>(seed);
      return;
    }
    // Two keys of the bucket fall together: the next best family.
    candidates_.keys[family] = kNoCandidate;
    best = *std::min_element(candidates_.keys.begin(),
                             candidates_.keys.begin() + (1U << (seed_bits_ - kShiftBits)));
  }
}

/// Gives `keys` keys, from number `first` on, their values under `seed`; or takes none and returns
/// false if two of the keys would have the same value. (One loop for all numbers of keys: beside a
/// search for each number, code of its own for each would not fit the caches of instructions, and
/// whole builds would take a fifth longer.)
bool PartitionBuilder::take_values(std::uint32_t first, std::uint32_t keys, std::uint32_t seed) {
  std::uint32_t places[kMaxBucketKeys];
  const std::uint32_t from = Occupancy::kBefore - shape_.lead() + seed % kShifts;
#pragma GCC unroll 1
  for (std::uint32_t i = 0; i < keys; ++i) {
    const std::uint32_t place = from + positions_[first + i] +
                                spread_in_slice(spreading_[first + i], seed, shape_.slice_bits);
    if (occupancy_.taken(place)) {
      while (i-- > 0) occupancy_.release(places[i]);
      return false;
    }
    occupancy_.take(place);
    places[i] = place;
  }
  return true;
}

}  // namespace crivo::phast
