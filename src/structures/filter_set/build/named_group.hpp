// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace crivo::filter_set {

/// A group, by the first half of its name's hash.
struct NamedGroup {
  std::uint64_t hash = 0;
  std::string_view name;
};

}  // namespace crivo::filter_set
