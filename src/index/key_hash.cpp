// SPDX-License-Identifier: Apache-2.0
#include "index/key_hash.hpp"

#include <string>

#include "crivo/error.hpp"

namespace crivo::index {

hashing::KeyHash built_hash(hashing::KeyHash own, const BuildOptions& options) {
  if (!options.keyed_hash) return own;
  if (hashing::stands_for(hashing::KeyHash::siphash, own)) return hashing::KeyHash::siphash;
  throw Error(
      ErrorKind::usage,
      "keyed hashing puts the key hash siphash in the place of xxh3, and there is none for " +
          std::string(hashing::key_hash_name(own)) +
          (own == hashing::KeyHash::xxh64
               ? ", which split-block-bloom filters have from Parquet, with a fixed seed"
               : ""),
      {.remedy = "keyed_hash"});
}

hashing::KeyHash key_hash_of(const MphfOptions& mphf, const mphf::Algorithm& algorithm) {
  const hashing::KeyHash hash = hashing::find_key_hash(mphf.hash);
  if (algorithm.of_seeds || (hash == hashing::KeyHash::xxh3 && !mphf.unbiased)) return hash;
  throw Error(ErrorKind::usage, "the algorithm '" + mphf.algorithm +
                                    "' takes no other key hash than xxh3, and no range: mwhc2, "
                                    "mwhc3, fch, bmz and bdz do");
}

}  // namespace crivo::index
