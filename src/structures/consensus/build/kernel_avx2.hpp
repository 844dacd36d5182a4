// SPDX-License-Identifier: Apache-2.0
/// The inner loops of the tree search with AVX2.
#pragma once

#include "structures/consensus/build/kernel.hpp"

namespace crivo::consensus {

/// For processors with base::Cpu::avx2. Only where the target is x86-64.
const Kernel& avx2_kernel() noexcept;

}  // namespace crivo::consensus
