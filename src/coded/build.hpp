/// Builds a static function of skewed values: by prefix-free codes over one-bit ribbons, behind
/// filters where one value is most of them.
#pragma once

#include "file/sink.hpp"
#include "retrieval/value_source.hpp"
#include "stream/key_source.hpp"
#include "util/progress.hpp"

namespace crivo::coded {

/// Writes the section (formats/coded.md) to `sink`: a few hundredths over the entropy of the
/// values from 10^6 keys on, about a tenth where that is below a bit. `values` may be any below
/// 2^64; it is asked twice or thrice for each key and must answer the same. The bytes depend on the
/// keys and values alone, not on threads. Reports to the phase of `context.progress` that the
/// caller began. Throws Error(bad_input) if the hashes are so unlike random ones that it fails.
/// O(n); memory: that of the partitions in work; 24 bytes for each key whose value escapes the
/// first codes (of 80 % zeros, say, each other), and as many for those that escape the next ones as
/// long as these are made; a filter's bytes while its level is; 4 MiB for the sample that values
/// are counted in if more than 2^16 differ.
void build(const stream::KeySource& hashes, const retrieval::ValueSource& values,
           const util::BuildContext& context, file::Sink& sink);

}  // namespace crivo::coded
