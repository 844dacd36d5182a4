// SPDX-License-Identifier: Apache-2.0
/// The hash of AES rounds by the instructions of x86-64; only where that is the target.
#pragma once

#include <memory>

#include "hashing/hash_family.hpp"
#include "hashing/seed.hpp"

namespace crivo::hashing {

std::unique_ptr<const PreparedHash> aes_hash_aes(Seed seed);
std::unique_ptr<const PreparedHash> aes_hash_vaes(Seed seed);

}  // namespace crivo::hashing
