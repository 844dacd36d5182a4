/// What tells one algorithm of the PHast family from another when it builds. The reader needs none
/// of it: a section says what it must know.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "mphf/kernel.hpp"
#include "mphf/phast_shape.hpp"

namespace crivo::mphf {

struct Parameters {
  unsigned seed_bits;
  /// Partitions have from this many keys on average to less than twice as many, if there are two or
  /// more.
  std::uint64_t partition_keys;
  /// Slices have this many values (fewer in sets too small for it).
  std::uint32_t slice_length;
  /// Keys a bucket, in tenths, below and from kLargeSet keys.
  std::uint32_t small_load_tenths;
  std::uint32_t load_tenths;
  /// The buckets are taken in the order of (bucket number - weights[size]): the more keys, the
  /// sooner. Entry 0 is of size 1; the last two entries are continued linearly.
  std::array<std::uint32_t, 8> weights;
  /// A key costs about log(bias + its distance from the start of its bucket's slice).
  std::uint32_t bias;
};

/// Found by hill climbing over the space of 10^6 keys and more. The space alone would have kFast's
/// buckets larger, but then so many keys are bumped that lookups get slower.
inline constexpr Parameters kFast{
    11, std::uint64_t{1} << 18, 1496, 66, 64, {0, 19, 96, 122, 148, 160, 173, 181}, 77};
/// Less space for more search, by effort: each doubles the families and with them the time of the
/// search. Longer slices want larger partitions.
inline constexpr std::array<Parameters, 3> kCompact{{
    {13, std::uint64_t{1} << 19, 2800, 75, 78, {0, 13, 120, 191, 227, 249, 280, 290}, 110},
    {14, std::uint64_t{1} << 19, 2678, 81, 84, {0, 0, 103, 156, 191, 220, 242, 250}, 61},
    {15, std::uint64_t{1} << 19, 2800, 87, 90, {0, 19, 95, 162, 184, 201, 230, 238}, 101},
}};

inline constexpr std::uint64_t kLargeSet = 200'000;

/// The shape of a level of `keys` keys, more than kSmallSetKeys and at most kMaxKeys.
inline LevelShape level_shape(const Parameters& parameters, std::uint64_t keys) {
  LevelShape shape;
  shape.keys = keys;
  while (shape.partition_bits < kMaxPartitionBits &&
         keys >> (shape.partition_bits + 1) >= parameters.partition_keys) {
    ++shape.partition_bits;
  }
  const std::uint64_t load =
      keys < kLargeSet ? parameters.small_load_tenths : parameters.load_tenths;
  const std::uint64_t mean = util::div_ceil(keys, shape.partitions());
  shape.buckets = static_cast<std::uint32_t>(util::align_up(util::div_ceil(mean * 10, load), 8));
  const auto root = std::sqrt(static_cast<double>(25 * keys));
  shape.slice_length =
      static_cast<std::uint32_t>(std::min(static_cast<double>(parameters.slice_length), root));
  return shape;
}

/// The weights of buckets of 0 to kMaxBucketKeys keys at this slice length.
inline std::array<std::uint32_t, kMaxBucketKeys + 1> scaled_weights(const Parameters& parameters,
                                                                    std::uint32_t slice_length) {
  std::array<std::uint32_t, kMaxBucketKeys + 1> weights{};
  constexpr std::size_t kGiven = std::tuple_size_v<decltype(Parameters::weights)>;
  const std::uint32_t step = parameters.weights[kGiven - 1] - parameters.weights[kGiven - 2];
  for (std::size_t size = 1; size < weights.size(); ++size) {
    const std::uint32_t weight =
        size <= kGiven
            ? parameters.weights[size - 1]
            : parameters.weights[kGiven - 1] + step * static_cast<std::uint32_t>(size - kGiven);
    weights[size] = weight * slice_length / parameters.slice_length;
  }
  return weights;
}

}  // namespace crivo::mphf
