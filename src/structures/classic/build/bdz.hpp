// SPDX-License-Identifier: Apache-2.0
/// How BDZ is built (structures/classic/bdz.hpp).
#pragma once

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/hash_source.hpp"
#include "structures/build/mphf.hpp"

namespace crivo::classic {

/// The edges are those of MWHC-3, not of three parts of the vertices as its authors have them: to
/// a third of the vertices the dissertation's range for Jenkins's hash is too uneven.
///
/// Writes the function of `hashes`. On one thread; O(n), and 32 bytes of memory a key and 5 a
/// vertex, of which there are 1.23 a key. Throws Error(bad_input) if no graph is acyclic.
void build_bdz(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
               const base::BuildContext& context, base::Sink& sink);

}  // namespace crivo::classic
