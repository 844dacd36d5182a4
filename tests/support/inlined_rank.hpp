// SPDX-License-Identifier: Apache-2.0
/// What a program that uses crivo/mphf.hpp has of a lookup in its own code.
#pragma once

#include <cstdint>

#include "structures/mphf.hpp"

namespace crivo::test {

/// The rank as Mphf's inlined lookup finds it.
inline std::uint64_t inlined_rank(const mphf::Function& function, Hash128 hash) {
  const detail::PhastLevel& level = function.first_level();
  const std::uint32_t seed = level.seed(level.seed_place(hash.hi));
  return seed != 0 ? level.value(hash.hi, seed) : function.bumped_rank(hash);
}

}  // namespace crivo::test
