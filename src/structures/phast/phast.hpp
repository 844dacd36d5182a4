// SPDX-License-Identifier: Apache-2.0
/// Minimal perfect hash functions of the PHast family: sections of type file::kPhastSection.
///
///     section   header 16 | level 0 | level 1 | ... | small set of the last keys
///     level     B, c, g 8 | seeds: S bits a bucket, partition after partition | holes (Elias-Fano)
///
///     hash ──▶ bucket's seed ─┬─▶ slice + shift ──────────────────────▶ rank, or above n: a hole
///                             └─ 0: bumped ──▶ next level ──▶ hole ───▶ rank
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "structures/mphf.hpp"

namespace crivo::phast {

/// The function in `section`, whose bytes must outlive it. O(levels). Throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_phast(const base::CheckedBytes& section);

}  // namespace crivo::phast
