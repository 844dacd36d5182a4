// SPDX-License-Identifier: Apache-2.0
/// Builds a static function key -> value of any width from 1 to 64 bits on binary fuse graphs.
#pragma once

#include <cstdint>
#include <memory>

#include "structures/build/assembly.hpp"
#include "structures/fuse/graph.hpp"
#include "structures/retrieval/build/value_source.hpp"

namespace crivo::fuse {

/// The section (formats/fuse.md) of n keys with `arity` slots each, 3 or 4: see bits_per_key(). Its
/// bytes depend on the keys and values alone, not on threads. Parts throw Error(bad_input) if the
/// hashes are so unlike random ones that they fail. O(n); memory: of the shards in work 24 bytes
/// and three values a key, and the slots of those that wait to be written.
std::unique_ptr<Assembly> plan(std::uint64_t n, unsigned width, unsigned arity,
                               retrieval::ValueSource values, HashPart part = HashPart::whole);

/// What a section of n keys will take without its header, for 0 where n is 0. From 10^6 keys on at
/// most 1.085 `width` for an arity of 4 and 1.16 for 3, and a little for each shard. As shards have
/// whole segments, this is within 0.5 % from 20,000 keys on, and within 2 % before.
double bits_per_key(std::uint64_t n, unsigned width, unsigned arity);

}  // namespace crivo::fuse
