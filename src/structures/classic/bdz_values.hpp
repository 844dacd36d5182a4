// SPDX-License-Identifier: Apache-2.0
/// The values of BDZ's vertices, as its section has them.
#pragma once

#include <bit>
#include <cstdint>

namespace crivo::classic::bdz {

inline constexpr unsigned kArity = 3;
inline constexpr std::uint32_t kUnassigned = 3;  ///< of the four values of g; counts as 0

/// Vertices are counted, for ranks, in blocks whose values are one cache line.
inline constexpr std::uint32_t kBlockVertices = 256;
inline constexpr std::uint64_t kBlockBytes = kBlockVertices / 4;

/// The assigned vertices among the first `count` (at most 32) that have their values in `word`.
inline std::uint32_t assigned_in(std::uint64_t word, std::uint32_t count) noexcept {
  constexpr std::uint64_t kLowBits = 0x5555555555555555U;
  const std::uint64_t unassigned = word & (word >> 1) & kLowBits;
  const std::uint64_t counted =
      count == 32 ? kLowBits : kLowBits & ((std::uint64_t{1} << 2 * count) - 1);
  return static_cast<std::uint32_t>(std::popcount(counted & ~unassigned));
}

}  // namespace crivo::classic::bdz
