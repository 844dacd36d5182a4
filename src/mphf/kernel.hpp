/// The inner loop of the build: which seed is best for one bucket.
#pragma once

#include <array>
#include <cstdint>

#include "mphf/phast_shape.hpp"

namespace crivo::mphf {

/// A bucket of more keys than this is bumped without a search.
inline constexpr unsigned kMaxBucketKeys = 20;

/// One bucket and what surrounds it. A key with position p among the partition's values that its
/// family spreads by x is at p - start + x here, so that small numbers do for everything: value 0
/// here is the first of the bucket's slice.
struct Query {
  /// windows[v] has bit i set if value v + i is taken (or outside the partition), for every v that
  /// a key can be at.
  const std::uint32_t* windows;
  /// scores[v] is what a key with value v costs.
  const std::uint16_t* scores;
  /// Per key: its position, at least start, and its 16 spreading bits.
  const std::uint32_t* positions;
  const std::uint16_t* spreading;
  std::uint32_t start;
  std::uint16_t slice_length;
};

/// No family has a shift at which every key of the bucket falls on a free position.
inline constexpr std::uint32_t kNoCandidate = 0xffffffff;
inline constexpr unsigned kFamilyBits = kMaxSeedBits - kShiftBits;

/// The families that fit, in no particular order, each as (cost << kFamilyBits) | family, where the
/// cost is the sum of the scores at the family's least feasible shift.
struct Candidates {
  std::array<std::uint32_t, 1U << kFamilyBits> keys;
  std::uint32_t count = 0;
};

/// Lists the families that fit in `candidates` and returns the least key (the least cost, then the
/// least family), or kNoCandidate. Whether two keys of the bucket itself fall together is not
/// looked at. Family 0's shift 0 never fits, because it would be seed 0.
using Search = std::uint32_t (*)(const Query& query, Candidates& candidates);

/// The searches for buckets of 0 to kMaxBucketKeys keys (the first is null) with seeds of
/// `seed_bits` bits. Every implementation gives the same answers.
const std::array<Search, kMaxBucketKeys + 1>& searches(unsigned seed_bits);

}  // namespace crivo::mphf
