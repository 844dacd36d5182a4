// SPDX-License-Identifier: Apache-2.0
#include "shards/part_plan.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "build/choices.hpp"
#include "build/recipe.hpp"
#include "crivo/error.hpp"

namespace crivo::index {

Recipe in_parts(Recipe recipe) {
  if (std::ranges::none_of(recipe.steps, [](const Step& step) {
        return std::holds_alternative<StepOfAll>(step.form);
      }))
    return recipe;
  throw Error(
      ErrorKind::usage,
      recipe.algorithm + " needs the whole set of keys at once and cannot be built in shards");
}

Recipe plan_of_metadata(file::Kind kind, const file::Metadata& metadata, std::uint64_t n,
                        unsigned value_width, const std::optional<csf::Histogram>& counts) {
  try {
    std::optional<Recipe> recipe = plan_of_kind(
        kind, recorded_choices(metadata), {.keys = n, .value_bits = value_width, .counts = counts});
    if (recipe) {
      Recipe parts = in_parts(*std::move(recipe));
      if (parts.metadata == metadata) return parts;
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
  }
  throw Error(ErrorKind::corrupt, "damaged: it holds choices that no build makes");
}

}  // namespace crivo::index
