// SPDX-License-Identifier: Apache-2.0
/// The edge that a key is, among the vertices of a random r-graph.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "structures/classic/blocks.hpp"
#include "structures/classic/range.hpp"

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

namespace crivo::classic {

template <unsigned kArity>
using Edge = std::array<std::uint32_t, kArity>;

/// The edge of a key among |V| vertices: kArity of them that differ, each such set as likely as
/// another. Self-loops are avoided as Majewski et al. do: v2 = (v1 + h2 + 1) mod |V|, and for v3,
/// which must avoid two, likewise with one more from v2 on. So that it never comes round to v1, h2
/// is below |V| - 1, and h3 below |V| - 2.
template <unsigned kArity>
class LooplessEdges {
  static_assert(kArity == 2 || kArity == 3);

 public:
  LooplessEdges() = default;
  LooplessEdges(Range range, std::uint32_t vertices) noexcept : vertices_(vertices) {
    for (unsigned i = 0; i < kArity; ++i) reductions_[i] = {range, vertices - i};
  }

  Edge<kArity> operator()(const Words& words) const noexcept {
    const std::uint64_t v1 = reductions_[0](words[0]);
    std::uint64_t v2 = v1 + reductions_[1](words[1]) + 1;
    if constexpr (kArity == 2) {
      return {static_cast<std::uint32_t>(v1), wrapped(v2)};
    } else {
      std::uint64_t v3 = v1 + reductions_[2](words[2]) + 1;
      if (v3 >= v2) ++v3;
      return {static_cast<std::uint32_t>(v1), wrapped(v2), wrapped(v3)};
    }
  }

 private:
  /// v mod |V|, for v < 2 |V|.
  std::uint32_t wrapped(std::uint64_t v) const noexcept {
    return static_cast<std::uint32_t>(v >= vertices_ ? v - vertices_ : v);
  }

  std::uint64_t vertices_ = 0;
  std::array<Reduction, kArity> reductions_;
};

}  // namespace crivo::classic
