/// The filter type `hash-compaction`: a dictionary of compressed keys of one width
/// (formats/hash-compaction.md).
#pragma once

#include <memory>

#include "filter/filter.hpp"

namespace crivo::filter {

/// Type::plan, Type::build and Type::open of the hash-compaction filter.
Plan plan_hash_compaction(std::uint64_t n, const FilterOptions& options);
void build_hash_compaction(const stream::KeySource& hashes, const FilterOptions& options,
                           const util::BuildContext& context, file::Sink& sink);
std::unique_ptr<const Membership> open_hash_compaction(file::ByteView section);

}  // namespace crivo::filter
