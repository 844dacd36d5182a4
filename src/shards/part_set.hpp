// SPDX-License-Identifier: Apache-2.0
/// The parts of a build, opened together: what merge_parts() and write_manifest() begin with; and
/// the plan that they share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "build/recipe.hpp"
#include "records/codec.hpp"
#include "shards/part_file.hpp"
#include "structures/csf/build/histogram.hpp"

namespace crivo::index {

using Parts = std::vector<std::unique_ptr<const PartFile>>;

/// The parts of all shards, in their order; `paths` are in any. Throws Error(usage) that names one
/// that is missing, there twice, no part, or of another build; and what PartFile throws.
Parts open_parts(const std::vector<std::filesystem::path>& paths);

/// The bytes of all of their files.
std::uint64_t bytes_of(const Parts& parts) noexcept;

/// The recipe that all parts must be of. Throws Error(corrupt) that names one that is not.
Recipe common_plan(const Parts& parts);

/// The number of the section, in a store's parts, whose pieces have notes with the bumped keys'
/// records.
inline constexpr std::size_t kBumpedRecords = 1;

/// The codec of all of a store's parts, with the longest unit of any. Throws Error(corrupt) that
/// names a part whose units are encoded in another way.
records::CodecSection common_codec(const Parts& parts);

/// The recipe, all of whose steps have parts. Throws Error(usage) if one takes all keys at once.
Recipe in_parts(Recipe recipe);

/// The recipe of a file with this metadata, which are its choices alone. Throws Error(corrupt) if
/// no build records just these.
Recipe plan_of_metadata(file::Kind kind, const file::Metadata& metadata, KeyTotals totals);

}  // namespace crivo::index
