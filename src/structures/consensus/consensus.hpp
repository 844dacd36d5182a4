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
#include "structures/consensus/parameters.hpp"
#include "structures/mphf.hpp"

namespace crivo::consensus {

/// The function of n keys, which appends to a sink that must be at a multiple of 8 bytes. O(n)
/// beside a search whose length grows as the space comes near the bound. Memory: 5 bytes a key of
/// the partitions in work (2^18.5 keys each at most in the mean); in the scratch, 16 for each key
/// that no bucket has: fewer than k a partition, unless hashes are made to be uneven. The bytes
/// depend on the hashes and the parameters alone. Parts have the `contents`.
/// Throws Error(bad_input) for more than kMaxKeys keys; its finish(), if no function is found,
/// which only hashes made for it bring about.
std::unique_ptr<mphf::FunctionAssembly> plan(const Parameters& parameters, std::uint64_t n,
                                             const mphf::PartContents& contents = {});

/// The function in `section`, whose bytes must outlive it. O(partitions). Throws Error(corrupt).
std::unique_ptr<const mphf::Function> open(base::ByteView section);

}  // namespace crivo::consensus
