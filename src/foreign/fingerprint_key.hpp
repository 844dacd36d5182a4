// SPDX-License-Identifier: Apache-2.0
/// The 64 bits that filters of fingerprints know a key by.
#pragma once

#include <cstdint>
#include <string_view>

#include "foreign/fingerprint_filter.hpp"
#include "hashing/key_hash.hpp"

namespace crivo::foreign {

/// Of datasketches-xor the XXH64 of its bytes, as XorFilter's update(byte[]) and, of text in UTF-8,
/// update(String) have it; of binary-fuse the number that its 8 bytes are, the lowest first. Throws
/// Error(bad_input) with the line for a key of any other length.
std::uint64_t number_of_key(FingerprintLayout layout, std::string_view key, std::uint64_t line);

}  // namespace crivo::foreign
