// SPDX-License-Identifier: Apache-2.0
/// The recipe of a file of any kind that is built in parts, by its choices.
#pragma once

#include <optional>

#include "build/recipe.hpp"
#include "crivo/build/options.hpp"

namespace crivo::index {

/// Nothing for a kind of which no section has parts. Throws Error(usage) for choices that are
/// unsound.
std::optional<Recipe> plan_of_kind(file::Kind kind, const Choices& choices, KeyTotals totals);

}  // namespace crivo::index
