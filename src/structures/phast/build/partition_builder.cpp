// SPDX-License-Identifier: Apache-2.0
#include "structures/phast/build/partition_builder.hpp"

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
      most_weight_(*std::ranges::max_element(weights_)),
      bias_(std::max(1U, parameters.bias >> (kMaxSliceBits - shape.slice_bits))),
      bucket_step_((shape.first_value(1) << 32) / shape.buckets) {}

void PartitionBuilder::begin(std::uint64_t index, std::uint64_t keys) {
  first_value_ = shape_.first_value(index);
  values_ = static_cast<std::uint32_t>(shape_.first_value(index + 1) - first_value_);
  result_ = {};
  bumps_all_ = keys > std::uint64_t{kMaxMeanLoad} * shape_.buckets;
  added_ = complete_ = turn_ = done_ = first_placed_ = first_waiting_ = 0;
  positions_.clear();
  spreading_.clear();
  waiting_.clear();
  seeds_.clear();
  if (bumps_all_) return;
  starts_.assign(shape_.buckets + 1, 0);
  seeds_.assign(shape_.buckets, 0);
  occupancy_.reset(values_);
}

void PartitionBuilder::add(std::span<const Hash128> keys) {
  result_.keys += keys.size();
  if (bumps_all_) {
    result_.bumped.insert(result_.bumped.end(), keys.begin(), keys.end());
    return;
  }
  if (keys.empty()) return;
  assign_buckets(keys);
  // A bucket that may get more keys has its turn at its own number or later.
  seed_before(complete_, complete_);
  if (complete_ > most_weight_) bump_before(complete_ - most_weight_, keys);
  keep_waiting(keys);
}

PartitionResult PartitionBuilder::finish() {
  result_.seeds.resize(std::uint64_t{shape_.buckets} / 8 * seed_bits_);
  if (bumps_all_) {
    result_.holes.resize(values_);
    std::iota(result_.holes.begin(), result_.holes.end(), 0U);
    return std::move(result_);
  }
  for (std::uint32_t b = complete_ + 1; b <= shape_.buckets; ++b)
    starts_[b] = std::max(starts_[b], starts_[b - 1]);
  seed_before(shape_.buckets + most_weight_, shape_.buckets);
  bump_before(shape_.buckets, {});
  occupancy_.append_free(result_.holes);
  bits::PackedWriter packed(result_.seeds.data());
  for (const std::uint16_t seed : seeds_) packed.put(seed, seed_bits_);
  return std::move(result_);
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

/// Places the next keys, behind those of buckets that are not done.
void PartitionBuilder::assign_buckets(std::span<const Hash128> keys) {
  const std::uint32_t gone = first_waiting_ - first_placed_;
  positions_.erase(positions_.begin(), positions_.begin() + gone);
  spreading_.erase(spreading_.begin(), spreading_.begin() + gone);
  first_placed_ = first_waiting_;
  const std::size_t before = positions_.size();
  positions_.resize(before + keys.size());
  spreading_.resize(before + keys.size());
  std::uint32_t* const positions = positions_.data() + before;
  std::uint16_t* const spreading = spreading_.data() + before;
  std::uint32_t* const ends = starts_.data() + 1;
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t place = keys[i].hi << shape_.partition_bits;
    // The last key of a bucket has the last word.
    ends[base::mulhi(place, shape_.buckets)] = added_ + i + 1;
    positions[i] = static_cast<std::uint32_t>(base::mulhi(keys[i].hi, shape_.keys) - first_value_);
    // From the slice's begin: under every odd factor 2^15 more, as spread() has 2^15 less.
    spreading[i] = static_cast<std::uint16_t>(keys[i].hi ^ 0x8000);
  }
  added_ += static_cast<std::uint32_t>(keys.size());
  const std::uint64_t last = keys.back().hi << shape_.partition_bits;
  const auto bucket = static_cast<std::uint32_t>(base::mulhi(last, shape_.buckets));
  for (std::uint32_t b = complete_ + 1; b <= bucket; ++b)
    starts_[b] = std::max(starts_[b], starts_[b - 1]);
  complete_ = bucket;
}

/// Seeds the buckets before `bucket` whose turn is before `turn`, which no other's is.
void PartitionBuilder::seed_before(std::uint32_t turn, std::uint32_t bucket) {
  order_buckets(turn, bucket);
  for (const std::uint32_t next : order_) seed_bucket(next);
  turn_ = turn;
}

/// A counting sort by turn, ties by bucket number.
void PartitionBuilder::order_buckets(std::uint32_t turn, std::uint32_t bucket) {
  order_count_.assign(std::size_t{turn} - turn_ + 1, 0);
  const auto for_each_due = [&](auto&& use) {
    for (std::uint32_t b = done_; b < bucket; ++b) {
      const std::uint32_t size = bucket_size(b);
      if (size - 1 >= kMaxBucketKeys) continue;
      const std::uint32_t own = turn_of(b, size);
      if (own >= turn_ && own < turn) use(b, order_count_[own - turn_]);
    }
  };
  std::uint32_t total = 0;
  for_each_due([&](std::uint32_t, std::uint32_t& count) { ++count, ++total; });
  std::uint32_t before = 0;
  for (std::uint32_t& count : order_count_) before += std::exchange(count, before);
  order_.resize(total);
  for_each_due([&](std::uint32_t b, std::uint32_t& next) { order_[next++] = b; });
}

/// Bumps the keys of those buckets before `bucket` that have no seed; all of them had their turn.
/// `keys` came last.
void PartitionBuilder::bump_before(std::uint32_t bucket, std::span<const Hash128> keys) {
  for (; done_ < bucket; ++done_) {
    if (seeds_[done_] != 0) continue;
    for (std::uint32_t i = starts_[done_]; i < starts_[done_ + 1]; ++i) {
      const std::size_t at = i - first_waiting_;
      result_.bumped.push_back(at < waiting_.size() ? waiting_[at] : keys[at - waiting_.size()]);
    }
  }
}

/// Keeps the keys of buckets that are not done.
void PartitionBuilder::keep_waiting(std::span<const Hash128> keys) {
  const std::size_t gone = starts_[done_] - first_waiting_;
  const std::size_t gone_before = std::min(gone, waiting_.size());
  const auto left = keys.subspan(gone - gone_before);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(gone_before));
  waiting_.insert(waiting_.end(), left.begin(), left.end());
  first_waiting_ = starts_[done_];
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
                    positions_.data() + (first - first_placed_),
                    spreading_.data() + (first - first_placed_),
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
  const std::uint32_t* const positions = positions_.data() + (first - first_placed_);
  const std::uint16_t* const spreading = spreading_.data() + (first - first_placed_);
#pragma GCC unroll 1
  for (std::uint32_t i = 0; i < keys; ++i) {
    const std::uint32_t place =
        from + positions[i] + spread_in_slice(spreading[i], seed, shape_.slice_bits);
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
