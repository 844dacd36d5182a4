// SPDX-License-Identifier: Apache-2.0
/// The elements that flow through the pipeline: hashes alone, or hashes with a value each.
#pragma once

#include <compare>
#include <cstdint>
#include <type_traits>

#include "hashing/hash128.hpp"

namespace crivo::stream {

/// A key's hash and value, 24 bytes. Of equal hashes the one with the least value is first.
struct HashedValue {
  Hash128 hash;
  std::uint64_t value = 0;

  friend constexpr auto operator<=>(const HashedValue&, const HashedValue&) = default;
};

/// The same with where the key stands in the input, 32 bytes. Of equal hashes the one that stands
/// first is first.
struct PlacedValue {
  Hash128 hash;
  std::uint64_t place = 0;
  std::uint64_t value = 0;

  friend constexpr auto operator<=>(const PlacedValue&, const PlacedValue&) = default;
};

template <typename Element>
inline constexpr bool kHasValue = !std::is_same_v<Element, Hash128>;

/// The hash of an element of any of the types.
template <typename Element>
constexpr const Hash128& hash_of(const Element& element) noexcept {
  if constexpr (kHasValue<Element>) {
    return element.hash;
  } else {
    return element;
  }
}

}  // namespace crivo::stream
