// SPDX-License-Identifier: Apache-2.0
/// Minimal perfect hash functions near the bound on space: sections of type
/// file::kConsensusSection.
///
///     section   header | part 0 | part 1 | ... | rest: a PHast section | table, 40 bytes a part
///     part      thresholds of buckets | exceptions | columns, a bit a pair | trees
///
///     hash ──▶ part ──▶ bucket ──▶ down its splitting tree ──▶ pair ──▶ column: which of two ──▶
///     rank
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "structures/mphf.hpp"

namespace crivo::consensus {

/// The function in `section`, whose bytes must outlive it. O(partitions). Throws Error(corrupt).
std::unique_ptr<const mphf::Function> open(base::ByteView section);

}  // namespace crivo::consensus
