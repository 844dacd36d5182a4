#include "mphf/partition_builder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "mphf/packed.hpp"
#include "util/bits.hpp"

namespace crivo::mphf {
namespace {

/// Windows before the partition's first value and after its last one that a key can spread to.
constexpr std::uint32_t kMargin = 1024;
constexpr std::uint32_t kMarginAfter = 2200;

/// A partition with more keys a bucket than this on average bumps them all: few of its buckets
/// would find a seed. It bounds the width of a bucket in values, and so what spread positions and
/// scores can be.
constexpr std::uint32_t kMaxMeanLoad = 16;

/// What the taking of value v adds to the windows v - 31 to v.
constexpr auto kStamp = [] {
  std::array<std::uint32_t, kShifts> stamp{};
  for (unsigned i = 0; i < kShifts; ++i) stamp[i] = std::uint32_t{1} << (kShifts - 1 - i);
  return stamp;
}();

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
  clear_windows();
  order_buckets();
  seeds_.assign(shape_.buckets, 0);
  for (const std::uint32_t bucket : order_) (this->*kSeedBucket[bucket_size(bucket)])(bucket);

  collect_holes(result.holes);
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

void PartitionBuilder::clear_windows() {
  windows_.assign(std::size_t{kMargin} + keys_ + kMarginAfter, 0);
  const auto begin = windows_.begin();
  std::fill(begin, begin + kMargin, 0xffffffffU);
  std::fill(begin + kMargin + keys_, windows_.end(), 0xffffffffU);
  // The windows that begin outside and reach inside, then those that begin inside and reach
  // outside.
  for (std::uint32_t i = 1; i < kShifts; ++i) windows_[kMargin - i] = (1U << i) - 1;
  for (std::uint32_t i = 1; i < kShifts; ++i) windows_[kMargin + keys_ - i] |= ~0U << i;
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
  const Query query{windows_.data() + (kMargin + start - shape_.lead()),
                    positions_.data() + first,
                    spreading_.data() + first,
                    start,
                    static_cast<std::uint16_t>(shape_.slice_length),
                    bias_};
  std::uint32_t best = searches_[kKeys](query, candidates_);
  while (best != kNoCandidate) {
    const std::uint32_t seed = take_values<kKeys>(query, best & ((1U << kFamilyBits) - 1));
    if (seed != 0) {
      seeds_[bucket] = static_cast<std::uint16_t>(seed);
      return;
    }
    // Two keys of the bucket fall together: the next best family.
    const auto end = candidates_.keys.begin() + candidates_.count;
    *std::find(candidates_.keys.begin(), end, best) = kNoCandidate;
    best = *std::min_element(candidates_.keys.begin(), end);
  }
}

/// Gives the bucket's keys the values of the least feasible shift of `family` and returns the seed,
/// or takes none and returns 0 if two of the keys would have the same value.
template <unsigned kKeys>
std::uint32_t PartitionBuilder::take_values(const Query& query, std::uint32_t family) {
  std::uint32_t at[kKeys];
  std::uint32_t taken = family == 0 ? 1 : 0;
  for (unsigned i = 0; i < kKeys; ++i) {
    at[i] = query.positions[i] - query.start +
            spread(query.spreading[i], family << kShiftBits, shape_.slice_length);
    taken |= query.windows[at[i]];
  }
  const auto shift = static_cast<std::uint32_t>(std::countr_one(taken));
  std::uint32_t* const windows = windows_.data() + (kMargin + query.start - shape_.lead() + shift);
  for (unsigned i = 0; i < kKeys; ++i) {
    std::uint32_t* const window = windows + at[i];
    if ((*window & 1) != 0) {
      while (i-- > 0) {
        std::uint32_t* const stamped = windows + at[i] - (kShifts - 1);
        for (std::uint32_t j = 0; j < kShifts; ++j) stamped[j] &= ~kStamp[j];
      }
      return 0;
    }
    std::uint32_t* const stamped = window - (kShifts - 1);
    for (std::uint32_t j = 0; j < kShifts; ++j) stamped[j] |= kStamp[j];
  }
  return family << kShiftBits | shift;
}

constexpr std::array<PartitionBuilder::SeedBucket, kMaxBucketKeys + 1>
    PartitionBuilder::kSeedBucket =
        []<unsigned... kSizes>(std::integer_sequence<unsigned, kSizes...>) {
  return std::array<SeedBucket, kMaxBucketKeys + 1>{nullptr,
                                                    &PartitionBuilder::seed_bucket<kSizes + 1>...};
}
(std::make_integer_sequence<unsigned, kMaxBucketKeys>{});

void PartitionBuilder::collect_holes(std::vector<std::uint32_t>& holes) const {
  for (std::uint32_t v = 0; v < keys_; v += kShifts) {
    for (std::uint32_t free = ~windows_[kMargin + v]; free != 0; free &= free - 1) {
      holes.push_back(v + static_cast<std::uint32_t>(std::countr_zero(free)));
    }
  }
}

}  // namespace crivo::mphf
