#include "mphf/partition_builder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "mphf/packed.hpp"
#include "util/bits.hpp"

namespace crivo::mphf {
namespace {

/// A partition with more keys a bucket than this on average bumps them all: few of its buckets
/// would find a seed. It bounds the width of a bucket in values, and so what spread positions and
/// scores can be.
constexpr std::uint32_t kMaxMeanLoad = 12;

}  // namespace

PartitionBuilder::PartitionBuilder(const Parameters& parameters, const LevelShape& shape,
                                   unsigned level)
    : shape_(shape),
      level_(level),
      seed_bits_(parameters.seed_bits),
      searches_(searches(parameters.seed_bits, util::cpu())),
      weights_(scaled_weights(parameters, shape.slice_length)),
      bias_(std::max(1U, parameters.bias * shape.slice_length / parameters.slice_length)) {}

PartitionResult PartitionBuilder::build(std::span<const Hash128> keys) {
  PartitionResult result;
  result.keys = keys.size();
  result.seeds.resize(std::uint64_t{shape_.buckets} / 8 * seed_bits_);
  if (keys.size() > std::uint64_t{kMaxMeanLoad} * shape_.buckets) {
    result.holes.resize(keys.size());
    for (std::uint32_t v = 0; v < keys.size(); ++v) result.holes[v] = v;
    result.bumped.reserve(keys.size());
    for (const Hash128& hash : keys) result.bumped.push_back(next_level(hash, level_ + 1));
    return result;
  }

  assign_buckets(keys);
  occupancy_.reset(keys_);
  order_buckets();
  seeds_.assign(shape_.buckets, 0);
  for (const std::uint32_t bucket : order_) (this->*kSeedBucket[bucket_size(bucket)])(bucket);

  occupancy_.append_free(result.holes);
  result.bumped.reserve(result.holes.size());
  PackedWriter packed(result.seeds.data());
  for (std::uint32_t b = 0; b < shape_.buckets; ++b) {
    packed.put(seeds_[b], seed_bits_);
    if (seeds_[b] != 0) continue;
    for (std::uint32_t i = starts_[b]; i < starts_[b + 1]; ++i) {
      result.bumped.push_back(next_level(keys[i], level_ + 1));
    }
  }
  return result;
}

void PartitionBuilder::assign_buckets(std::span<const Hash128> keys) {
  keys_ = static_cast<std::uint32_t>(keys.size());
  bucket_step_ = (std::uint64_t{keys_} << 32) / shape_.buckets;
  positions_.resize(keys_);
  spreading_.resize(keys_);
  starts_.assign(shape_.buckets + 1, 0);
  std::uint32_t* const ends = starts_.data() + 1;
  for (std::uint32_t i = 0; i < keys_; ++i) {
    const std::uint64_t place = keys[i].hi << shape_.partition_bits;
    ends[util::mulhi(place, shape_.buckets)] = i + 1;  // the last key of a bucket has the last word
    positions_[i] = static_cast<std::uint32_t>(util::mulhi(place, keys_));
    spreading_[i] = static_cast<std::uint16_t>(keys[i].lo);
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

template <unsigned kKeys>
void PartitionBuilder::seed_bucket(std::uint32_t bucket) {
  const std::uint32_t first = starts_[bucket];
  // Not above any of the keys' positions, because a key of bucket b has place * buckets >= b *
  // 2^64.
  const auto start = static_cast<std::uint32_t>((bucket * bucket_step_) >> 32);
  const std::uint32_t place = Occupancy::kBefore + start - shape_.lead();
  const std::uint32_t before = place % 8;
  const Query query{occupancy_.at(place - before), positions_.data() + first,
                    spreading_.data() + first,     start - before,
                    shape_.slice_length,           bias_ - before};
  std::uint32_t best = searches_[kKeys](query, candidates_);
  while (best != kNoCandidate) {
    const std::uint32_t family = best & ((1U << kFamilyBits) - 1);
    const std::uint32_t seed = family << kShiftBits | candidates_.shifts[family];
    if (take_values<kKeys>(first, seed)) {
      seeds_[bucket] = static_cast<std::uint16_t>(seed);
      return;
    }
    // Two keys of the bucket fall together: the next best family.
    candidates_.keys[family] = kNoCandidate;
    best = *std::min_element(candidates_.keys.begin(),
                             candidates_.keys.begin() + (1U << (seed_bits_ - kShiftBits)));
  }
}

/// Gives the bucket's keys, from number `first` on, their values under `seed`; or takes none and
/// returns false if two of the keys would have the same value.
template <unsigned kKeys>
bool PartitionBuilder::take_values(std::uint32_t first, std::uint32_t seed) {
  std::uint32_t places[kKeys];
  const std::uint32_t from = Occupancy::kBefore - shape_.lead() + seed % kShifts;
  for (unsigned i = 0; i < kKeys; ++i) {
    const std::uint32_t place =
        from + positions_[first + i] + spread(spreading_[first + i], seed, shape_.slice_length);
    if (occupancy_.taken(place)) {
      while (i-- > 0) occupancy_.release(places[i]);
      return false;
    }
    occupancy_.take(place);
    places[i] = place;
  }
  return true;
}

constexpr std::array<PartitionBuilder::SeedBucket, kMaxBucketKeys + 1>
    PartitionBuilder::kSeedBucket =
        []<unsigned... kSizes>(std::integer_sequence<unsigned, kSizes...>) {
  return std::array<SeedBucket, kMaxBucketKeys + 1>{nullptr,
                                                    &PartitionBuilder::seed_bucket<kSizes + 1>...};
}
(std::make_integer_sequence<unsigned, kMaxBucketKeys>{});

}  // namespace crivo::mphf
