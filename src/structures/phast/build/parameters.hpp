// SPDX-License-Identifier: Apache-2.0
/// How functions of the PHast family are built (structures/phast/phast.hpp), and what tells one
/// algorithm from another then. The reader needs none of it: a section says what it must know.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>

#include "structures/build/mphf.hpp"
#include "structures/phast/build/kernel.hpp"
#include "structures/phast/shape.hpp"

namespace crivo::phast {

struct Parameters {
  unsigned seed_bits;
  /// Keys a bucket, in tenths, where slices have kMaxSliceBits; and how many tenths fewer for each
  /// bit that they are shorter. A short slice leaves a large bucket few places: it would be bumped.
  std::uint32_t load_tenths;
  std::uint32_t load_step;
  /// The buckets are taken in the order of (bucket number - weights[size]): the more keys, the
  /// sooner. Entry 0 is of size 1; the last two entries are continued linearly. For slices of
  /// 2^kMaxSliceBits values, as `bias` is.
  std::array<std::uint32_t, 8> weights;
  /// A key costs about log(bias + its distance from the start of its bucket's slice).
  std::uint32_t bias;
};

/// Found by hill climbing over the space of 10^6 keys and more. The space alone would have kFast's
/// buckets larger, but then so many keys are bumped that lookups get slower.
inline constexpr Parameters kFast{11, 64, 2, {0, 7, 131, 176, 203, 223, 246, 256}, 36};
/// Less space for more search, by effort: each doubles the families and with them the time of the
/// search.
inline constexpr std::array<Parameters, 3> kCompact{{
    {13, 78, 2, {0, 55, 141, 190, 219, 238, 257, 265}, 103},
    {14, 84, 2, {0, 33, 119, 176, 198, 214, 233, 239}, 55},
    {15, 90, 2, {0, 7, 113, 167, 192, 215, 231, 236}, 59},
}};
/// The parameters of `fast` for small sets, whose lookups wait for no memory but for bumped keys:
/// in the space that kFast takes there, more search bumps a third as many (4 % where it bumps 11 %
/// of 1,000 keys).
inline constexpr Parameters kFastSmall{13, 80, 5, kCompact[0].weights, kCompact[0].bias};
/// Sets of fewer keys are small.
inline constexpr std::uint64_t kFastSmallKeys = 1U << 17;

/// Chooses the parameters of `fast` for n keys.
constexpr const Parameters& fast_parameters(std::uint64_t n) noexcept {
  return n < kFastSmallKeys ? kFastSmall : kFast;
}

/// Partitions have from this many keys on average to less than twice as many, if there are two or
/// more. Each bumps some keys for its borders, and for what it has more than its share; its keys
/// are in memory at once.
inline constexpr std::uint64_t kPartitionKeys = std::uint64_t{3} << 17;

/// The shape of a level of `keys` keys, more than kSmallSetKeys and at most kMaxKeys.
inline LevelShape level_shape(const Parameters& parameters, std::uint64_t keys) {
  LevelShape shape;
  shape.keys = keys;
  while (shape.partition_bits < kMaxPartitionBits &&
         keys >> (shape.partition_bits + 1) >= kPartitionKeys) {
    ++shape.partition_bits;
  }
  const auto root_bits = static_cast<unsigned>(std::bit_width(32 * keys) - 1) / 2;
  shape.slice_bits = std::min(kMaxSliceBits, root_bits);  // at most sqrt(32 keys) values
  const std::uint32_t load =
      parameters.load_tenths - parameters.load_step * (kMaxSliceBits - shape.slice_bits);
  const std::uint64_t mean = base::div_ceil(keys, shape.partitions());
  shape.buckets = static_cast<std::uint32_t>(base::align_up(base::div_ceil(mean * 10, load), 8));
  return shape;
}

/// The weights of buckets of 0 to kMaxBucketKeys keys at this slice length: half for slices of half
/// the length, and a quarter for all shorter ones.
inline std::array<std::uint32_t, kMaxBucketKeys + 1> scaled_weights(const Parameters& parameters,
                                                                    unsigned slice_bits) {
  std::array<std::uint32_t, kMaxBucketKeys + 1> weights{};
  constexpr std::size_t kGiven = std::tuple_size_v<decltype(Parameters::weights)>;
  const std::uint32_t step = parameters.weights[kGiven - 1] - parameters.weights[kGiven - 2];
  for (std::size_t size = 1; size < weights.size(); ++size) {
    const std::uint32_t weight =
        size <= kGiven
            ? parameters.weights[size - 1]
            : parameters.weights[kGiven - 1] + step * static_cast<std::uint32_t>(size - kGiven);
    weights[size] = weight >> std::min(kMaxSliceBits - slice_bits, 2U);
  }
  return weights;
}

/// The function of n keys, which appends to a sink that must be at a multiple of 8 bytes. Expected
/// O(n); beside leases it holds some 10 bytes a key of one partition per thread; and in the
/// scratch, 24 bytes a bumped key (some 1.3 %). The bytes depend on the
/// hashes and the parameters alone. Parts have the `contents`. Throws
/// Error(bad_input) for more than kMaxKeys keys; its finish(), if kMaxLevels levels do not place
/// all keys, which only hashes made for it bring about.
std::unique_ptr<mphf::FunctionAssembly> plan_phast(const Parameters& parameters, std::uint64_t n,
                                                   const mphf::PartContents& contents = {});

}  // namespace crivo::phast
