// SPDX-License-Identifier: Apache-2.0
/// Which of its hand-written kernels this process runs. The kernels of a task differ in speed only:
/// the bytes written and the answers given are the same on every machine.
#pragma once

namespace crivo::base {

/// Instruction sets for which there are kernels, each including the ones before it.
enum class Cpu {
  portable,  ///< what the compiler makes of plain C++ for its target
  avx2,      ///< x86-64-v3: AVX2, BMI1, BMI2, POPCNT
  avx512,    ///< of x86-64-v4: AVX-512 F, BW, DQ and VL
};

/// The best set that this processor has. The environment variable CRIVO_CPU=portable|avx2|avx512,
/// read once, names the best one that may be used, so that tests reach the kernels below; throws
/// Error(usage) at another value.
Cpu cpu();

}  // namespace crivo::base
