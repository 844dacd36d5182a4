/// The filter type `cuckoo`: fingerprints in a cuckoo hash table (formats/cuckoo.md).
#pragma once

#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter {

/// Type::plan, Type::assemble, Type::open and Type::edit of the cuckoo filter.
Plan plan_cuckoo(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> assemble_cuckoo(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<const Membership> open_cuckoo(base::ByteView section);
std::unique_ptr<Editor> edit_cuckoo(base::ByteView section);

}  // namespace crivo::filter
