// SPDX-License-Identifier: Apache-2.0
/// How functions near the bound on space are built (structures/consensus/consensus.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "structures/build/mphf.hpp"
#include "structures/consensus/build/parameters.hpp"

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

}  // namespace crivo::consensus
