// SPDX-License-Identifier: Apache-2.0
/// What is to be expected of linear probing.
#pragma once

#include <cstdint>

namespace crivo::experiments {

/// The collisions a key that linear probing has at a load below 1, where each address is as likely
/// as another (Knuth): (1 / (1 - load) - 1) / 2.
constexpr double uniform_collisions(double load) noexcept {
  return (1 / (1 - load) - 1) / 2;
}

/// The same where addresses of m entries are made of hash values by Range::mask_xor.
///
/// Of the values below 2^b, the least power of two that is not below m, those from m on are folded
/// back by exclusive or: to [2^j, 2^(j+1)) for each bit j below b that m has not. The entries there
/// are hit twice as often as the others: n / 2^b a key or 2 n / 2^b. Where the latter is 1 or more,
/// the keys do not find room and run over into what follows, all of it full: the collisions grow as
/// the square of the overflow, and so of n.
struct FoldedLoad {
  double once = 0;        ///< keys an entry where one value leads to each
  double twice = 0;       ///< where two do
  double doubled = 0;     ///< the part of the keys that have such addresses
  double collisions = 0;  ///< a key, on average: of uniform loads, or of the overflow
};
FoldedLoad folded_load(std::uint64_t keys, std::uint32_t addresses);

}  // namespace crivo::experiments
