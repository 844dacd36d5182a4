// SPDX-License-Identifier: Apache-2.0
/// The hashed ids of a dictionary, built of the keys that its builder keeps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/progress.hpp"
#include "build/recipe.hpp"
#include "stream/streamed_keys.hpp"
#include "structures/dictionary/build/builder.hpp"
#include "structures/mphf.hpp"

namespace crivo::index {

/// Hashes the keys once they are written, so that what sorted them has left the memory: a key then
/// takes 24 bytes, 16 more when its rank is known, each within the scratch. Bytes depend on the
/// keys and their hash alone.
class HashedIdsBuild {
 public:
  /// `hash` and what the context refers to outlive this.
  HashedIdsBuild(std::shared_ptr<const dictionary::Builder> builder,
                 const hashing::SeededHash& hash, unsigned signature_bits,
                 const base::BuildContext& context);

  /// The hashes, with ids as values, and the MPHF as it is planned over them. Throws
  /// Error(bad_input) where two keys have one hash, or hashes lie closer than by chance; Error(io).
  exact::SectionKeys hash_keys();
  /// Opens the MPHF, whose bytes stay where they are.
  void use_function(base::ByteView section);
  /// Writes the ids by its ranks.
  void write_ids(base::Sink& to);

 private:
  using HashedKeys = stream::GatheredKeys<stream::HashedValue>;

  std::shared_ptr<const dictionary::Builder> builder_;
  const hashing::SeededHash& hash_;
  unsigned signature_bits_;
  base::BuildContext context_;
  std::unique_ptr<HashedKeys> gathered_;
  std::unique_ptr<const mphf::Function> function_;
};

/// Adds the steps that write both sections, behind the one that writes the keys.
void add_hashed_ids(std::vector<Step>& steps, const std::shared_ptr<HashedIdsBuild>& build);

}  // namespace crivo::index
