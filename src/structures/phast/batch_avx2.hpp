// SPDX-License-Identifier: Apache-2.0
/// The first level of a function for many hashes at once, with AVX2.
#pragma once

#include "structures/phast/batch.hpp"

namespace crivo::phast {

/// Whether the level's numbers are small enough: buckets and keys below 2^32.
bool avx2_phast_batch_takes(const detail::PhastLevel& level) noexcept;

/// For processors with base::Cpu::avx2, and levels that it takes. Only where the target is x86-64.
std::size_t avx2_phast_batch(const detail::PhastLevel& level, std::span<const std::uint64_t> halves,
                             std::uint64_t* ranks, std::uint16_t* bumped) noexcept;

}  // namespace crivo::phast
