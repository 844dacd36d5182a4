// SPDX-License-Identifier: Apache-2.0
/// CRC-32C as the check of what a lookup reads: of the checks of 32 bits the one that processors
/// have instructions for, so that few of its steps wait for the memory that they check, and the
/// memory of the next lookup is asked for meanwhile.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "base/cpu.hpp"

namespace crivo::hashing {

/// The CRC-32C (Castagnoli's polynomial 1EDC6F41, reflected, inverted at the end, as in RFC 3720)
/// of `bytes`, then their number and then `number`, as 8 bytes each, the lowest first. The register
/// begins with 0: zeros before the bytes change nothing, so that they may be taken in blocks that
/// end with them. Inputs of one length that differ within 32 bits have different ones, and others
/// but for 1 in 2^32. O(bytes.size()).
using Crc32c = std::uint32_t (*)(base::ByteView bytes, std::uint64_t number) noexcept;

/// The quickest for processors that have `cpu`, which this one must. Throws what base::cpu() does.
Crc32c crc32c(base::Cpu cpu = base::cpu());

}  // namespace crivo::hashing
