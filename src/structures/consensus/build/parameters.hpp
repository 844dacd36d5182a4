// SPDX-License-Identifier: Apache-2.0
/// How much a consensus function spends on space. The reader needs none of it: a section says what
/// it must know.
#pragma once

#include <array>

#include "structures/consensus/shape.hpp"

namespace crivo::consensus {

struct Parameters {
  Shape shape;
  /// Bits at the beginning of the string that may be anything.
  unsigned free_bits;
};

/// A node of s keys needs log2(2^s / C(s, s / 2)) bits; the more its level has, the shorter the
/// search. How a tree's bits are shared among the levels was found by hill climbing, the work
/// counted in instructions.
inline constexpr std::array kEfforts{
    Parameters{{11, {10, 12, 22, 36, 66, 109, 186, 308, 488, 739}}, 6},
    Parameters{{11, {10, 12, 21, 36, 65, 107, 186, 303, 486, 734}}, 6},
    Parameters{{11, {10, 12, 21, 36, 62, 108, 182, 303, 482, 728}}, 6},
};

}  // namespace crivo::consensus
