// SPDX-License-Identifier: Apache-2.0
/// Solves and builds the small-set form (small_set.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/ribbon/build/band.hpp"
#include "structures/ribbon/header.hpp"

namespace crivo::ribbon {

/// A set's equations, solved.
struct SmallSolution {
  unsigned seed = 0;
  base::Bytes blocks;
};
/// Solves them in so many slots (a multiple of 8, not 0), with the least seed that works, if one
/// does. `band` is of use before and afterwards for its memory alone.
template <typename Value>
std::optional<SmallSolution> solve_small_set(HashPart part, Width width, std::uint64_t slots,
                                             std::span<const Hash128> keys,
                                             std::span<const Value> values,
                                             Band<std::uint64_t, Value>& band);

/// The whole section for `keys` with `values`. `header` says all but the seed; of a filter only the
/// first halves of the hashes count. Throws Error(bad_input) if no seed works, which random hashes
/// meet with probability below 2^-30. `Value` is std::uint8_t, 16, 32 or 64, wide enough.
template <typename Value>
base::Bytes build_small_set(Header header, std::span<const Hash128> keys,
                            std::span<const Value> values);

}  // namespace crivo::ribbon
