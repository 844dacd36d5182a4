// SPDX-License-Identifier: Apache-2.0
#include "shards/part_plan.hpp"

#include <algorithm>
#include <utility>

#include "crivo/error.hpp"
#include "opening/choices.hpp"
#include "opening/index_kind.hpp"

namespace crivo::index {

Recipe in_parts(Recipe recipe) {
  if (std::ranges::none_of(recipe.steps,
                           [](const Step& step) { return step.build_whole != nullptr; }))
    return recipe;
  throw Error(
      ErrorKind::usage,
      recipe.algorithm + " needs the whole set of keys at once and cannot be built in shards");
}

Recipe plan_of_metadata(file::Kind kind, const file::Metadata& metadata, std::uint64_t n,
                        unsigned value_width, const std::optional<csf::Histogram>& counts) {
  const IndexKind* const row = find_index_kind(kind);
  try {
    if (row != nullptr && row->plan_parts != nullptr) {
      Recipe recipe = in_parts(row->plan_parts(
          recorded_choices(metadata), {.keys = n, .value_bits = value_width, .counts = counts}));
      if (recipe.metadata == metadata) return recipe;
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
  }
  throw Error(ErrorKind::corrupt, "damaged: a part of choices that no build has");
}

}  // namespace crivo::index
