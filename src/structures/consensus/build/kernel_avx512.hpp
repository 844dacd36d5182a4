// SPDX-License-Identifier: Apache-2.0
/// The inner loops of the tree search with AVX-512.
#pragma once

#include "structures/consensus/build/kernel.hpp"

namespace crivo::consensus {

/// For processors with base::Cpu::avx512 and VBMI2 (Ice Lake, Zen 4 and later). Only where the
/// target is x86-64.
const Kernel& avx512_kernel() noexcept;

}  // namespace crivo::consensus
