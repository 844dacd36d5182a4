// SPDX-License-Identifier: Apache-2.0
/// The shape that a cuckoo filter gets.
#pragma once

#include <cstdint>

#include "crivo/build/options.hpp"
#include "structures/cuckoo/shape.hpp"

namespace crivo::filter::cuckoo {

/// Slots in use, in hundredths. In the fullest of several segments, by chance, some 98.
inline constexpr std::uint64_t kLoadPercent = 96;

/// The smallest shape for n keys, and the options' capacity, under the options: of those numbers
/// alone, and in integers, so that every system finds the same. Throws Error(usage).
Shape choose_shape(std::uint64_t n, const FilterOptions& options);

/// The expected false-positive rate of n keys.
double expected_fpr(const Shape& shape, std::uint64_t n) noexcept;

/// The most keys with which expected_fpr() is at most `fpr`, a part of 1 (0: any), and the load
/// kLoadPercent.
std::uint64_t capacity_of(const Shape& shape, std::uint64_t fpr) noexcept;

}  // namespace crivo::filter::cuckoo
