// SPDX-License-Identifier: Apache-2.0
/// The seed of a key hash.
#pragma once

#include <cstdint>
#include <string>

namespace crivo::hashing {

/// A number of 128 bits. `high` is 0 for every hash but the keyed one of AES, whose key it is part
/// of. Not a number by itself: who takes `low` alone says so.
struct Seed {
  constexpr Seed(std::uint64_t low_half = 0,
                 std::uint64_t high_half = 0) noexcept  // NOLINT: is one
      : low(low_half), high(high_half) {}

  /// What a build takes where two keys have one hash.
  constexpr Seed next() const noexcept { return {low + 1, high}; }
  /// What the records of a store have of it: they are told from those of another seed by it.
  constexpr std::uint64_t folded() const noexcept { return low ^ high; }
  /// "5"; of more than 64 bits all 32 hexadecimal digits.
  std::string text() const;
  friend constexpr bool operator==(const Seed&, const Seed&) = default;

  std::uint64_t low;
  std::uint64_t high;
};

}  // namespace crivo::hashing
