// SPDX-License-Identifier: Apache-2.0
/// Hashes of eight keys at a time with AVX-512.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "hashing/batch_hash.hpp"

namespace crivo::hashing {

/// A BatchHash::HashPairs for processors with base::Cpu::avx512; only where the target is x86-64.
void hash_pairs_avx512(unsigned pairs, const std::string_view* keys,
                       std::span<const std::uint8_t> members,
                       const detail::xxh3::PreparedSeed (&seeds)[2], Hash128* hashes) noexcept;

}  // namespace crivo::hashing
