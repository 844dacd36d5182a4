// SPDX-License-Identifier: Apache-2.0
#include "build/built_hash.hpp"

#include <string>

#include "crivo/error.hpp"

namespace crivo::index {

hashing::KeyHashId built_hash(hashing::KeyHashId own, const BuildOptions& options) {
  if (!options.keyed_hash) return own;
  for (const auto keyed : {hashing::KeyHashId::siphash, hashing::KeyHashId::keyed_range}) {
    if (hashing::stands_for(keyed, own)) return keyed;
  }
  throw Error(ErrorKind::usage,
              "keyed hashing needs the key hash xxh3, which it replaces by siphash, and this is " +
                  std::string(hashing::key_hash_name(own)) +
                  (own == hashing::KeyHashId::xxh64
                       ? " (split-block-bloom filters have it from Parquet, with a fixed seed)"
                       : ""),
              {.remedy = "keyed_hash"});
}

}  // namespace crivo::index
