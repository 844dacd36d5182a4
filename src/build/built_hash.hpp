// SPDX-License-Identifier: Apache-2.0
/// The key hash and seed that options, or a file that is there, ask for.
#pragma once

#include <cstdint>
#include <filesystem>

#include "crivo/build/build.hpp"
#include "crivo/error.hpp"
#include "file/container.hpp"
#include "input/hash_keys.hpp"
#include "input/places.hpp"
#include "stream/key_slice.hpp"

namespace crivo::index {

/// The build id (formats/crivo-1.md) of a file with this header, whose keys have those sums. The
/// metadata are the choices that it records: all else that decides about its bytes.
file::ContentId build_id(const file::Header& header, const stream::KeySums& sums,
                         const file::Metadata& metadata);

/// The hash that a structure whose own is `own` is built over: that, or where the options ask for
/// the keyed one, siphash. Throws Error(usage) if it cannot stand for `own`.
hashing::KeyHashId built_hash(hashing::KeyHashId own, const BuildOptions& options);
/// Returns the usual family of hashes, or the keyed one where the options ask for it.
inline hashing::HashFamily usual_family(const BuildOptions& options) {
  return hashing::hash_family(built_hash(hashing::KeyHashId::xxh3, options));
}

/// Returns what makes the hashes of these keys.
inline hashing::HashFamily hash_family(hashing::KeyHashId hash, const KeyInput& input) {
  return hashing::hash_family(hash, input.format.numbers);
}

/// Throws Error(bad_input) unless the keys were hashed with the base's seed: two had one hash.
inline void require_seed(const input::KeySet& keys, std::uint64_t seed, const KeyInput& input,
                         const std::filesystem::path& base) {
  if (keys.seed == seed) return;
  throw Error(ErrorKind::bad_input,
              input::input_name(input, 0) +
                  ": two different keys have the same 128-bit hash under the seed of " +
                  base.string() + "; build a new base with another seed");
}

}  // namespace crivo::index
