/// Builds a static function of skewed values: by prefix-free codes over one-bit ribbons, behind
/// filters where one value is most of them.
#pragma once

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/key_source.hpp"
#include "structures/retrieval/value_source.hpp"

namespace crivo::csf {

/// Writes the section (formats/coded.md) to `sink`: a few hundredths over the entropy of the
/// values from 10^6 keys on, about a tenth where that is below a bit. `values` may be any below
/// 2^64; it is asked some times for each key and must answer the same. The bytes depend on the
/// keys and values alone, not on threads. Reports to the phase of `context.progress` that the
/// caller began. Throws Error(bad_input) if the hashes are so unlike random ones that it fails.
/// O(n) a level; memory: that of the partitions in work, each level's filter, 24 bytes for each key
/// that escapes the codes of a level if those are at most 2^19 (if more, they are looked for among
/// the keys of the level anew), and 4 MiB for the sample that values are counted in if more than
/// 2^16 differ.
void build(const stream::KeySource& hashes, const retrieval::ValueSource& values,
           const base::BuildContext& context, base::Sink& sink);

}  // namespace crivo::csf
