// SPDX-License-Identifier: Apache-2.0
/// Parts of filter sets: the filters of a shard's groups, which the merge puts in the order of
/// their names (formats/parts.md, "Parts of filter sets").
#pragma once

#include "build/build_frame.hpp"
#include "build/built_file.hpp"
#include "shards/part_set.hpp"

namespace crivo::index {

/// merge_parts() of such parts, once they are verified. Throws Error(corrupt) that names a part
/// whose groups are not sound, or in another part, too.
BuildSummary merge_filter_set(const Parts& parts, const BuildOptions& options, BuildFrame& frame,
                              BuiltFile& file);

}  // namespace crivo::index
