// SPDX-License-Identifier: Apache-2.0
/// Filters by the keys that they take, for tests.
#pragma once

#include <string_view>
#include <vector>

#include "crivo/build/options.hpp"

namespace crivo::test {

/// The types that take any key: range filters have numbers alone.
inline std::vector<std::string_view> text_filter_types() {
  std::vector<std::string_view> types;
  for (const std::string_view type : filter_types()) {
    if (type != "range") types.push_back(type);
  }
  return types;
}

}  // namespace crivo::test
