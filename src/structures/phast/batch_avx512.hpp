// SPDX-License-Identifier: Apache-2.0
/// The first level of a function for many hashes at once, with AVX-512.
#pragma once

#include "structures/phast/batch.hpp"

namespace crivo::phast {

/// For processors with base::Cpu::avx512, and levels that avx2_phast_batch_takes(). Only where the
/// target is x86-64.
std::size_t avx512_phast_batch(const detail::PhastLevel& level,
                               std::span<const std::uint64_t> halves, std::uint64_t* ranks,
                               std::uint16_t* bumped) noexcept;

}  // namespace crivo::phast
