// SPDX-License-Identifier: Apache-2.0
/// How FCH is built (structures/classic/fch.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/hash_source.hpp"
#include "structures/build/mphf.hpp"
#include "structures/classic/build/fch_search.hpp"

namespace crivo::classic {

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
