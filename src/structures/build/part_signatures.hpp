// SPDX-License-Identifier: Apache-2.0
/// Writing the signatures of bumped keys that structures/part_signatures.hpp reads.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/scratch.hpp"
#include "base/sink.hpp"
#include "base/spool.hpp"
#include "structures/build/signatures.hpp"
#include "structures/part_signatures.hpp"
#include "structures/signatures.hpp"

namespace crivo::mphf {

/// Takes the next bumped key, by rank; false at the end.
using NextBumped = std::function<bool(RankedKey& bumped_key)>;

/// Writes the bumped keys' ranks, below `keys`, and signatures of 8, 16 or 32 bits, by way of the
/// scratch. Throws Error(io).
inline void write_bumped(const NextBumped& next, std::uint64_t keys, unsigned bits,
                         base::Scratch* scratch, base::Sink& sink) {
  BumpedRanks::Writer ranks(keys, scratch);
  base::Spool signatures(scratch);
  base::Bytes signature(bits / 8);
  for (RankedKey bumped_key{}; next(bumped_key);) {
    ranks.add(bumped_key.rank);
    put_signature(signature.data(), 0, {0, bumped_key.lo}, bits);
    signatures.append(signature);
  }
  sink.append(base::FieldWriter().u32(bits).u32(0).u64(keys).u64(ranks.count()).view());
  ranks.finish(sink);
  signatures.for_each([&](base::ByteView some) { sink.append(some); });
}

}  // namespace crivo::mphf
