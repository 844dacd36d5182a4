// SPDX-License-Identifier: Apache-2.0
/// BMZ: minimal perfect hashing over random graphs that may have cycles (Botelho, Menoti, Ziviani,
/// "A new algorithm for constructing minimal perfect hash functions", UFMG TR004/04, 2004), from
/// the dissertation's future work. The order is not preserved. The bytes are specified in
/// formats/seeds.md.
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "structures/mphf.hpp"

namespace crivo::classic {

/// Checks the section in O(1); throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_bmz(base::ByteView section);

}  // namespace crivo::classic
