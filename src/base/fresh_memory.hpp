// SPDX-License-Identifier: Apache-2.0
/// What memory takes that a process reaches for the first time.
#pragma once

#include <cstdint>

namespace crivo::base {

/// How many bytes this process has been given so far, as it first reached them.
std::uint64_t fresh_bytes() noexcept;

/// The processor's seconds that a byte of them takes here, in pages of the usual size; 0 where that
/// cannot be measured. Takes a millisecond itself.
double seconds_per_fresh_byte() noexcept;

}  // namespace crivo::base
