// SPDX-License-Identifier: Apache-2.0
/// The key hash that options ask for, and by which a file is looked up.
#pragma once

#include "crivo/build.hpp"
#include "file/container.hpp"

namespace crivo::index {

/// The hash that a structure whose own is `own` is built over: that, or where the options ask for
/// the keyed one, siphash. Throws Error(usage) if it cannot stand for `own`.
hashing::KeyHashId built_hash(hashing::KeyHashId own, const BuildOptions& options);

/// What makes the hashes of these keys.
inline hashing::HashFamily hash_family(hashing::KeyHashId hash, const KeyInput& input) {
  return hashing::hash_family(hash, input.format.numbers);
}

/// What a file with this header is looked up by. Of a family's hashes it has the parts that a
/// structure over them looks at, and 0 for the others.
inline HashFunction hash_function(const file::Header& header) {
  return detail::HashAccess::function(header.key_hash, header.seed);
}

}  // namespace crivo::index
