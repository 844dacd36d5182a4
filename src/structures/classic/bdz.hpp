// SPDX-License-Identifier: Apache-2.0
/// BDZ: minimal perfect hashing in 2.6 bits a key over acyclic random 3-graphs (Botelho, Pagh,
/// Ziviani, "Simple and space-efficient minimal perfect hash functions", WADS 2007). The bytes are
/// specified in formats/seeds.md.
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "structures/mphf.hpp"

namespace crivo::classic {

/// Checks the section in O(1); throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_bdz(base::ByteView section);

}  // namespace crivo::classic
