// SPDX-License-Identifier: Apache-2.0
/// The kernels of a lookup with AVX-512, for blocks of 64: a vector is what eight columns of one
/// have.
#pragma once

#include "structures/ribbon/kernels.hpp"

namespace crivo::ribbon {

/// For processors with base::Cpu::avx512. Only where the target is x86-64.
Kernel avx512_kernel(Width width) noexcept;

}  // namespace crivo::ribbon
