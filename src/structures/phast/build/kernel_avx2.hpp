// SPDX-License-Identifier: Apache-2.0
/// The seed search with AVX2.
#pragma once

#include "structures/phast/build/kernel.hpp"

namespace crivo::phast {

/// The searches for processors with base::Cpu::avx2; null if there are none for this seed width.
/// Only where the target is x86-64.
const Searches* avx2_searches(unsigned seed_bits) noexcept;

}  // namespace crivo::phast
