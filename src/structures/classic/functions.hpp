// SPDX-License-Identifier: Apache-2.0
/// The functions of the classic papers, as lookups have them. formats/seeds.md specifies the bytes.
/// Each open function checks its section in O(1), and throws Error(corrupt).
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "structures/mphf.hpp"
#include "structures/static_function.hpp"

namespace crivo::classic {

/// Opens MWHC-2 or MWHC-3: order-preserving minimal perfect hashing over acyclic random r-graphs
/// (Majewski, Wormald, Havas, Czech, "A family of perfect hashing methods", The Computer Journal
/// 39, 1996).
std::unique_ptr<const mphf::Function> open_mwhc(base::ByteView section);
/// Opens MWHC as a static function: its vertices have values of any width in place of ranks
/// (formats/seeds.md, type 50).
std::unique_ptr<const map::StaticFunction> open_mwhc_map(base::ByteView section);

/// Opens BMZ: minimal perfect hashing over random graphs that may have cycles (Botelho, Menoti,
/// Ziviani, "A new algorithm for constructing minimal perfect hash functions", UFMG TR004/04,
/// 2004), from the dissertation's future work. The order is not preserved.
std::unique_ptr<const mphf::Function> open_bmz(base::ByteView section);

/// Opens BDZ: minimal perfect hashing in 2.6 bits a key over acyclic random 3-graphs (Botelho,
/// Pagh, Ziviani, "Simple and space-efficient minimal perfect hash functions", WADS 2007).
std::unique_ptr<const mphf::Function> open_bdz(base::ByteView section);

/// Opens FCH: minimal perfect hashing by buckets that are turned into place (Fox, Chen, Heath, "A
/// faster algorithm for constructing minimal perfect hash functions", SIGIR 1992), with the
/// dissertation's beta = 3.5.
std::unique_ptr<const mphf::Function> open_fch(base::ByteView section);

}  // namespace crivo::classic
