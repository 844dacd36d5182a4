// SPDX-License-Identifier: Apache-2.0
/// The key hash by which a file is looked up.
#pragma once

#include "crivo/key.hpp"
#include "file/container.hpp"

namespace crivo::index {

/// Returns the function by which keys are hashed for a file with this header. For a family's hashes
/// it has the parts that a structure over them looks at, and 0 for the others.
inline HashFunction hash_function(const file::Header& header) {
  return detail::HashAccess::function(header.key_hash, header.seed);
}

}  // namespace crivo::index
