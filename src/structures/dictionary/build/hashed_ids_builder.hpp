// SPDX-License-Identifier: Apache-2.0
/// Writes what HashedIds reads.
#pragma once

#include <cstdint>

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "hashing/hash128.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::dictionary {

/// Writes the section of a function's ranks and ids, which come in any order.
class HashedIdsBuilder {
 public:
  /// Takes n keys. Holds 16 bytes of each; what the scratch has no room for goes to temporary
  /// files.
  HashedIdsBuilder(std::uint64_t keys, unsigned signature_bits, base::Scratch* scratch);

  /// The key with this rank has this hash and this id. From one thread at a time.
  void add(std::uint64_t rank, Hash128 hash, std::uint64_t id);
  /// Writes the section, once all n keys were added. Once, last. Throws Error(io).
  void finish(const base::BuildContext& context, base::Sink& to);

 private:
  std::uint64_t keys_;
  unsigned signature_bits_;
  unsigned rank_shift_;
  stream::GatheredKeys<Hash128> by_rank_;  ///< the rank's bits first; the entry in the place of lo
};

}  // namespace crivo::dictionary
