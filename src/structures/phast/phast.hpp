// SPDX-License-Identifier: Apache-2.0
/// Minimal perfect hash functions of the PHast family: sections of type file::kPhastSection.
///
///     section   header 16 | level 0 | level 1 | ... | small set of the last keys
///     level     B, c, g 8 | seeds: S bits a bucket, partition after partition | holes (Elias-Fano)
///
///     hash ──▶ bucket's seed ─┬─▶ slice + shift ──────────────────────▶ rank, or above n: a hole
///                             └─ 0: bumped ──▶ next level ──▶ hole ───▶ rank
#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.hpp"
#include "structures/mphf.hpp"
#include "structures/phast/parameters.hpp"

namespace crivo::phast {

/// The function of n keys, which appends to a sink that must be at a multiple of 8 bytes. Expected
/// O(n); beside leases it holds some 10 bytes a key of one partition per thread; and in the
/// scratch, 24 bytes a bumped key (some 1.3 %). The bytes depend on the
/// hashes and the parameters alone. Parts have the `contents`. Throws
/// Error(bad_input) for more than kMaxKeys keys; its finish(), if kMaxLevels levels do not place
/// all keys, which only hashes made for it bring about.
std::unique_ptr<mphf::FunctionAssembly> plan_phast(const Parameters& parameters, std::uint64_t n,
                                                   const mphf::PartContents& contents = {});

/// The function in `section`, whose bytes must outlive it. O(levels). Throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_phast(base::ByteView section);

}  // namespace crivo::phast
