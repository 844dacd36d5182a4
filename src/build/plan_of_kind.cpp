// SPDX-License-Identifier: Apache-2.0
#include "build/plan_of_kind.hpp"

#include <utility>

#include "build/choices.hpp"

namespace crivo::index {

std::optional<Recipe> plan_of_kind(file::Kind kind, const Choices& choices, KeyTotals totals) {
  switch (kind) {
    case file::Kind::mphf:
      return plan(options_of<MphfOptions>(choices), std::move(totals));
    case file::Kind::filter:
      return plan(options_of<FilterOptions>(choices), std::move(totals));
    case file::Kind::map:
      return plan(options_of<MapOptions>(choices), std::move(totals));
    case file::Kind::store:
      return plan(options_of<StoreOptions>(choices), std::move(totals));
    default:
      return std::nullopt;
  }
}

}  // namespace crivo::index
