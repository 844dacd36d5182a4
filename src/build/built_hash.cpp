// SPDX-License-Identifier: Apache-2.0
#include "build/built_hash.hpp"

#include <string>

#include "base/system_random.hpp"
#include "crivo/build/build.hpp"
#include "crivo/error.hpp"

namespace crivo::index {

hashing::KeyHashId built_hash(hashing::KeyHashId own, const BuildOptions& options) {
  if (options.aes_hash) {
    if (hashing::stands_for(hashing::KeyHashId::aes, own)) return hashing::KeyHashId::aes;
    throw Error(ErrorKind::usage,
                "the key hash aes stands in the place of xxh3, and this is " +
                    std::string(hashing::key_hash_name(own)),
                {.remedy = "hash"});
  }
  if (!options.keyed_hash) return own;
  for (const auto keyed : {hashing::KeyHashId::siphash, hashing::KeyHashId::keyed_range}) {
    if (hashing::stands_for(keyed, own)) return keyed;
  }
  throw Error(ErrorKind::usage,
              own == hashing::KeyHashId::xxh64
                  ? "a split-block-bloom filter cannot have a random seed: Parquet fixes how its "
                    "keys are hashed; choose another type of filter"
                  : "keys cannot be hashed by " + std::string(hashing::key_hash_name(own)) +
                        " under a random seed, for which there is siphash; leave out the choice "
                        "of a hash",
              {.remedy = "keyed_hash"});
}

}  // namespace crivo::index

namespace crivo {

std::uint64_t random_seed() {
  return base::system_random();
}

}  // namespace crivo

namespace crivo::index {

file::ContentId build_id(const file::Header& header, const stream::KeySums& sums,
                         const file::Metadata& metadata) {
  base::FieldWriter w;
  w.u32(static_cast<std::uint32_t>(header.kind));
  w.u32(static_cast<std::uint32_t>(header.key_hash));
  w.u64(header.keys).u64(header.seed.low);
  if (header.key_hash == hashing::KeyHashId::aes) w.u64(header.seed.high);
  w.u64(sums.hi).u64(sums.lo).u64(sums.values);
  w.bytes(file::encode(metadata));
  return file::content_hash(w.view());
}

}  // namespace crivo::index
