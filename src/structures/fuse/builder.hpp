/// Builds a static function key -> value of any width from 1 to 64 bits on binary fuse graphs.
#pragma once

#include <cstdint>

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/key_source.hpp"
#include "structures/fuse/graph.hpp"
#include "structures/retrieval/value_source.hpp"

namespace crivo::fuse {

/// Writes the section (formats/fuse.md) to `sink`, of keys with `arity` slots each, 3 or 4: see
/// bits_per_key(). Its bytes depend on the keys and values alone, not on threads. Reports to the
/// phase of `context.progress` that the caller began. Throws Error(bad_input) if the hashes are so
/// unlike random ones that it fails. O(n); memory: of the shards in work 24 bytes and three values
/// a key, and the slots of those that wait to be written.
void build(const stream::KeySource& hashes, unsigned width, unsigned arity,
           const retrieval::ValueSource& values, const base::BuildContext& context,
           base::Sink& sink, HashPart part = HashPart::whole);

/// What a section of n keys will take without its header, for 0 where n is 0. From 10^6 keys on at
/// most 1.085 `width` for an arity of 4 and 1.16 for 3, and a little for each shard. As shards have
/// whole segments, this is within 0.5 % from 20,000 keys on.
double bits_per_key(std::uint64_t n, unsigned width, unsigned arity);

}  // namespace crivo::fuse
