// SPDX-License-Identifier: Apache-2.0
/// Recipes of files that are built in parts.
#pragma once

#include <cstdint>
#include <optional>

#include "build/recipe.hpp"
#include "structures/csf/build/histogram.hpp"

namespace crivo::index {

/// The recipe, all of whose steps have parts. Throws Error(usage) if one takes all keys at once.
Recipe in_parts(Recipe recipe);

/// The recipe of a file with this metadata, which are its choices alone. Throws Error(corrupt) if
/// no build records just these.
Recipe plan_of_metadata(file::Kind kind, const file::Metadata& metadata, std::uint64_t n,
                        unsigned value_width, const std::optional<csf::Histogram>& counts);

}  // namespace crivo::index
