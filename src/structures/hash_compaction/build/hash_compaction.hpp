// SPDX-License-Identifier: Apache-2.0
/// How a hash-compaction filter is built (structures/hash_compaction/hash_compaction.hpp).
#pragma once

#include <cstdint>

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/hash_source.hpp"
#include "structures/build/filter.hpp"

namespace crivo::filter {

/// Type::forecast, Type::build and Type::open of the hash-compaction filter. Its probing runs on
/// over the whole table, whose length the keys decide: it cannot be cut, and a build takes all
/// hashes and the table in memory.
Forecast forecast_hash_compaction(std::uint64_t n, const FilterOptions& options);
void build_hash_compaction(const stream::HashSource& hashes, const FilterOptions& options,
                           const base::BuildContext& context, base::Sink& sink);

}  // namespace crivo::filter
