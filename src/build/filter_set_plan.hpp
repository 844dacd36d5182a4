// SPDX-License-Identifier: Apache-2.0
/// What builds of filter sets on one machine and in shards share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "build/memory_need.hpp"
#include "build/recipe.hpp"
#include "input/grouped_keys.hpp"

namespace crivo::index {

/// The bytes of the memory for keys that names of groups may take.
std::uint64_t names_bytes(const MemoryBudget& budget);

/// Tells the names that an input gives groups from others; empty where it gives none.
std::string digest_of_groups(const KeyInput& input);

/// The filters of the groups. Throws Error(usage) for options that cannot be.
FilterOptions filters_of(const FilterSetOptions& set);

/// Plans a filter set, of those filters_of() it, of so many keys, those of all shards. `names` are
/// those of this machine's. Throws Error(io), which begins with `source`, if the largest group does
/// not fit in memory while it is built.
Recipe plan(const FilterSetOptions& set, const FilterOptions& filters, std::uint64_t keys,
            const std::shared_ptr<const input::GroupNames>& names, const MemoryBudget& budget,
            const std::string& source);

}  // namespace crivo::index
