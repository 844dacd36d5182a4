// SPDX-License-Identifier: Apache-2.0
/// What a partition may be asked for.
#pragma once

#include <string>

#include "crivo/build/shards.hpp"
#include "lookup/key_hash.hpp"

namespace crivo::index {

/// The key hash of PartitionOptions::hash. Throws Error(usage), which lists the names.
hashing::KeyHashId named_hash(const std::string& name);

/// Throws Error(usage) for options that do not go together, or with the input.
void check_partition(const KeyInput& input, const PartitionOptions& partition);

}  // namespace crivo::index
