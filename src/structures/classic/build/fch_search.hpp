// SPDX-License-Identifier: Apache-2.0
/// FCH's searching step: the value of each bucket.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "crivo/progress.hpp"
#include "hashing/hash128.hpp"
#include "structures/classic/range.hpp"

namespace crivo::classic {

/// The keys of one mapping, bucket after bucket, the largest first: the ordering step.
struct FchBuckets {
  std::vector<Hash128> hashes;
  std::vector<std::uint32_t> numbers;  ///< of the buckets that have keys
  std::vector<std::uint32_t> sizes;    ///< of those
};

/// The rotations g of the buckets, and the function h20 that they go with.
struct FchRotations {
  std::vector<std::uint32_t> g;  ///< by bucket number
  std::uint32_t pattern_salt = 0;
};

/// How the search went, in the dissertation's terms.
struct FchCounts {
  std::uint64_t patterns = 0;    ///< functions h20 tried
  std::uint64_t alignments = 0;  ///< of a pattern with a free place, in the last search
};

/// Finds g so that (h20(s) + g(bucket of s)) mod n is another number for each key s. Nothing if the
/// mapping is to be made again: because a bucket would take more than n alignments, or no h20 is
/// likely to keep the keys of every bucket apart. `progress` (may be null) can cancel it.
std::optional<FchRotations> search_fch(const FchBuckets& buckets, std::uint32_t bucket_count,
                                       Range range, FchCounts& counts,
                                       Progress* progress = nullptr);

}  // namespace crivo::classic
