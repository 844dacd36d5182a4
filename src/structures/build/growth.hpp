// SPDX-License-Identifier: Apache-2.0
/// What structures say of keys under whose hashes they would be far larger than they are by chance.
#pragma once

#include <cstdint>

namespace crivo {

/// Throws Error(bad_input) if a structure of n keys takes more than 5/4 of what it takes of random
/// ones. Those of few keys may: what that costs is little, and their sizes vary by chance.
void check_growth(std::uint64_t n, double bytes, double usual_bytes);

}  // namespace crivo
