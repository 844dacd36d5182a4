// SPDX-License-Identifier: Apache-2.0
/// FCH: minimal perfect hashing by buckets that are turned into place (Fox, Chen, Heath, "A faster
/// algorithm for constructing minimal perfect hash functions", SIGIR 1992), with the dissertation's
/// beta = 3.5. The bytes are specified in formats/seeds.md.
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "structures/mphf.hpp"

namespace crivo::classic {

/// Checks the section in O(1); throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_fch(base::ByteView section);

}  // namespace crivo::classic
