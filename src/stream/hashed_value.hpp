// SPDX-License-Identifier: Apache-2.0
/// The hashed keys that flow through the pipeline: hashes alone, or hashes with a value each.
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

template <typename HashedKey>
inline constexpr bool kHasValue = !std::is_same_v<HashedKey, Hash128>;

/// The hash of a key of any of the types.
template <typename HashedKey>
constexpr const Hash128& hash_of(const HashedKey& hashed) noexcept {
  if constexpr (kHasValue<HashedKey>) {
    return hashed.hash;
  } else {
    return hashed;
  }
}

}  // namespace crivo::stream
