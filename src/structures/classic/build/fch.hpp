// SPDX-License-Identifier: Apache-2.0
/// How FCH is built (structures/classic/functions.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "crivo/progress.hpp"
#include "hashing/hash128.hpp"
#include "stream/hash_source.hpp"
#include "structures/build/mphf.hpp"
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

/// Writes the function of `hashes`. On one thread; 30 bytes of memory a key. The search is the
/// published one, with three differences that leave its choices alone but for when it gives up:
///
/// - h20 is tried on the 128-bit hashes, from the largest bucket on and up to the first clash, not
///   on all keys' texts: of some 140 functions for 10^7 keys only a fifth of the work is done.
/// - Whether an address is free is asked of a bit, which stays in cache; the mapping table is only
///   kept up to date.
/// - A mapping is given up at once if more than e^10 functions h20 would be needed, and after as
///   many as make success all but sure, not after n.
///
/// So 10^7 keys take some 1.5 us each. The number of functions h20, and with it the time, grows as
/// a power of n, since the largest buckets grow as log n. Throws Error(bad_input) if no attempt
/// succeeds.
void build_fch(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
               const base::BuildContext& context, base::Sink& sink);

/// build_fch(), and how its search went.
FchCounts write_fch(const stream::HashSource& hashes, Range range,
                    const base::BuildContext& context, base::Sink& sink);

/// The ordering step: of the buckets with these sizes those that have keys, by falling size, ties
/// in the order of their numbers. O(b).
std::vector<std::uint32_t> buckets_by_size(std::span<const std::uint32_t> sizes);

}  // namespace crivo::classic
