// SPDX-License-Identifier: Apache-2.0
/// How functions of the PHast family are built (structures/phast/phast.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "structures/build/mphf.hpp"
#include "structures/phast/build/parameters.hpp"

namespace crivo::phast {

/// The function of n keys, which appends to a sink that must be at a multiple of 8 bytes. Expected
/// O(n); beside leases it holds some 10 bytes a key of one partition per thread; and in the
/// scratch, 24 bytes a bumped key (some 1.3 %). The bytes depend on the
/// hashes and the parameters alone. Parts have the `contents`. Throws
/// Error(bad_input) for more than kMaxKeys keys; its finish(), if kMaxLevels levels do not place
/// all keys, which only hashes made for it bring about.
std::unique_ptr<mphf::FunctionAssembly> plan_phast(const Parameters& parameters, std::uint64_t n,
                                                   const mphf::PartContents& contents = {});

}  // namespace crivo::phast
