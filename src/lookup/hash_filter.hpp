// SPDX-License-Identifier: Apache-2.0
/// Filters of hashes, in bytes without a container (formats/hash-filter.md).
///
///     bytes     "crvf" 4 | type of the section 4 | the section
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "structures/filter.hpp"

namespace crivo::filter {

inline constexpr std::string_view kHashFilterMagic = "crvf";
inline constexpr std::uint64_t kHashFilterHead = 8;

/// The types whose lookups take no more than the first half of a hash, and bloom.
inline constexpr std::array<std::string_view, 4> kHashFilterTypes{"ribbon", "fuse",
                                                                  "split-block-bloom", "bloom"};

/// Null for any other type.
inline const Type* hash_filter_type(std::string_view name) noexcept {
  if (!std::ranges::count(kHashFilterTypes, name)) return nullptr;
  return &*std::ranges::find(types(), name, &Type::name);
}

}  // namespace crivo::filter
