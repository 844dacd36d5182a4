// SPDX-License-Identifier: Apache-2.0
/// Hashes of eight keys at a time with AVX-512.
#pragma once

#include "hashing/batch_hash.hpp"

namespace crivo::hashing {

/// Those of 1 to 4 pairs, for processors with base::Cpu::avx512; only where the target is x86-64.
const BatchHash::HashPairs* hash_pairs_avx512() noexcept;

}  // namespace crivo::hashing
