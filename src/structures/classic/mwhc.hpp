// SPDX-License-Identifier: Apache-2.0
/// MWHC-2 and MWHC-3: order-preserving minimal perfect hashing over acyclic random r-graphs
/// (Majewski, Wormald, Havas, Czech, "A family of perfect hashing methods", The Computer Journal
/// 39, 1996). The bytes are specified in formats/seeds.md.
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "structures/mphf.hpp"

namespace crivo::classic {

/// Checks the section in O(1); throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_mwhc(base::ByteView section);

}  // namespace crivo::classic
