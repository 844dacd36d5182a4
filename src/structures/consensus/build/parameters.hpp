// SPDX-License-Identifier: Apache-2.0
/// How much a consensus function spends on space. The reader needs none of it: a section says what
/// it must know.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "structures/build/mphf.hpp"
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

/// The function of n keys, which appends to a sink that must be at a multiple of 8 bytes. O(n)
/// beside a search whose length grows as the space comes near the bound. Memory: 5 bytes a key of
/// the partitions in work (2^18.5 keys each at most in the mean); in the scratch, 16 for each key
/// that no bucket has: fewer than k a partition, unless hashes are made to be uneven. The bytes
/// depend on the hashes and the parameters alone. Parts have the `contents`.
/// Throws Error(bad_input) for more than kMaxKeys keys; its finish(), if no function is found,
/// which only hashes made for it bring about.
std::unique_ptr<mphf::FunctionAssembly> plan(const Parameters& parameters, std::uint64_t n,
                                             const mphf::PartContents& contents = {});

}  // namespace crivo::consensus
