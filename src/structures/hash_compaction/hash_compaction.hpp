// SPDX-License-Identifier: Apache-2.0
/// The filter type `hash-compaction`: a dictionary of compressed keys of one width
/// (formats/hash-compaction.md).
///
///     section   header 64 | T slots of w bits, ascending but for the free ones | zero 16
#pragma once

#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter {

/// Type::forecast, Type::build and Type::open of the hash-compaction filter. Its probing runs on
/// over the whole table, whose length the keys decide: it cannot be cut, and a build takes all
/// hashes and the table in memory.
Forecast forecast_hash_compaction(std::uint64_t n, const FilterOptions& options);
void build_hash_compaction(const stream::HashSource& hashes, const FilterOptions& options,
                           const base::BuildContext& context, base::Sink& sink);
std::unique_ptr<const Membership> open_hash_compaction(base::ByteView section);

}  // namespace crivo::filter
