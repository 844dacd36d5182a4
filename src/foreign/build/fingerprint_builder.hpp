// SPDX-License-Identifier: Apache-2.0
/// Fingerprints that add up for each key: slots that one key has alone are peeled off, one after
/// the other, and filled in the other way round.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "foreign/fingerprint_filter.hpp"

namespace crivo::foreign {

/// The shape that the format's own builder would choose for so many keys, without a seed. Throws
/// Error(bad_input) for more keys than it holds.
FingerprintShape shape_for(FingerprintLayout layout, unsigned bytes, std::uint64_t keys);

/// The fingerprints of keys, of which no two are equal; draws shape.seed from `seed`. Memory: some
/// kPeeledKeyBytes a key. Throws Error(bad_input) where no seed is found, cancelled.
inline constexpr std::uint64_t kPeeledKeyBytes = 48;
base::Bytes build_fingerprints(FingerprintShape& shape, std::span<const std::uint64_t> keys,
                               std::uint64_t seed, Progress& progress);

}  // namespace crivo::foreign
