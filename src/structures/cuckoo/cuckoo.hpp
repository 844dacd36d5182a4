/// The filter type `cuckoo`: fingerprints in a cuckoo hash table (formats/cuckoo.md).
#pragma once

#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter {

/// Type::plan, Type::build, Type::open and Type::edit of the cuckoo filter.
Plan plan_cuckoo(std::uint64_t n, const FilterOptions& options);
void build_cuckoo(const stream::KeySource& hashes, const FilterOptions& options,
                  const base::BuildContext& context, base::Sink& sink);
std::unique_ptr<const Membership> open_cuckoo(base::ByteView section);
std::unique_ptr<Editor> edit_cuckoo(base::ByteView section);

}  // namespace crivo::filter
