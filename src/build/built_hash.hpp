// SPDX-License-Identifier: Apache-2.0
/// The key hash that options ask for.
#pragma once

#include "crivo/build/build.hpp"
#include "file/container.hpp"
#include "stream/key_slice.hpp"

namespace crivo::index {

/// The build id (formats/crivo-1.md) of a file with this header, whose keys have those sums. The
/// metadata are the choices that it records: all else that decides about its bytes.
file::ContentId build_id(const file::Header& header, const stream::KeySums& sums,
                         const file::Metadata& metadata);

/// The hash that a structure whose own is `own` is built over: that, or where the options ask for
/// a keyed one, siphash or aes. Throws Error(usage) if it cannot stand for `own`.
hashing::KeyHashId built_hash(hashing::KeyHashId own, const BuildOptions& options);

/// The seed that options ask for.
inline hashing::Seed seed_of(const BuildOptions& options) noexcept {
  return {options.seed, options.seed_high};
}

/// What makes the hashes of these keys.
inline hashing::HashFamily hash_family(hashing::KeyHashId hash, const KeyInput& input) {
  return hashing::hash_family(hash, input.format.numbers);
}

}  // namespace crivo::index
