// SPDX-License-Identifier: Apache-2.0
/// Writing the signatures of bumped keys that structures/part_signatures.hpp reads.
#pragma once

#include <cstdint>
#include <functional>

#include "base/scratch.hpp"
#include "base/sink.hpp"
#include "structures/part_signatures.hpp"

namespace crivo::mphf {

/// Takes the next bumped key, by rank; false at the end.
using NextBumped = std::function<bool(RankedKey& bumped_key)>;

/// Writes the bumped keys' ranks, below `keys`, and signatures of 8, 16 or 32 bits, by way of the
/// scratch. Throws Error(io).
void write_bumped(const NextBumped& next, std::uint64_t keys, unsigned bits, base::Scratch* scratch,
                  base::Sink& sink);

}  // namespace crivo::mphf
