// SPDX-License-Identifier: Apache-2.0
/// The kernels of a lookup with AVX2.
#pragma once

#include "structures/ribbon/kernels.hpp"

namespace crivo::ribbon {

/// For processors with base::Cpu::avx2. Only where the target is x86-64.
Kernel avx2_kernel(Form form, HashPart part, Width width) noexcept;

}  // namespace crivo::ribbon
