// SPDX-License-Identifier: Apache-2.0
/// BDZ: minimal perfect hashing in 2.6 bits a key over acyclic random 3-graphs (Botelho, Pagh,
/// Ziviani, "Simple and space-efficient minimal perfect hash functions", WADS 2007). The bytes are
/// specified in formats/seeds.md.
#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/hash_source.hpp"
#include "structures/mphf.hpp"

namespace crivo::classic {

/// The edges are those of MWHC-3, not of three parts of the vertices as its authors have them: to
/// a third of the vertices the dissertation's range for Jenkins's hash is too uneven.
///
/// Writes the function of `hashes`. On one thread; O(n), and 32 bytes of memory a key and 5 a
/// vertex, of which there are 1.23 a key. Throws Error(bad_input) if no graph is acyclic.
void build_bdz(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
               const base::BuildContext& context, base::Sink& sink);

/// Checks the section in O(1); throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_bdz(base::ByteView section);

}  // namespace crivo::classic
