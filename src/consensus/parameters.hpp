/// How much a consensus function spends on space. The reader needs none of it: a section says what
/// it must know.
#pragma once

#include <array>

#include "consensus/shape.hpp"

namespace crivo::consensus {

struct Parameters {
  Shape shape;
  /// Bits at the beginning of the string that may be anything.
  unsigned free_bits;
};

/// A level of nodes of s keys needs log2(2^s / C(s, s / 2)) bits a node; the more it has, the
/// shorter the search.
inline constexpr std::array kEfforts{
    Parameters{{11, {14, 13, 22, 38, 65, 111, 187, 307, 486, 733}}, 6},
};

}  // namespace crivo::consensus
