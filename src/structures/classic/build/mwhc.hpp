// SPDX-License-Identifier: Apache-2.0
/// How MWHC-2 and MWHC-3 are built (structures/classic/mwhc.hpp).
#pragma once

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/hash_source.hpp"
#include "structures/build/mphf.hpp"

namespace crivo::classic {

/// Writes the function that gives each of `hashes` the rank that the choices have for it, or, if
/// they have none, its place. On one thread; O(n), and 28 bytes of memory a key and 8 a vertex for
/// r = 2, 36 and 8 for r = 3. Throws Error(bad_input) if no graph is acyclic.
void build_mwhc2(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
                 const base::BuildContext& context, base::Sink& sink);
void build_mwhc3(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
                 const base::BuildContext& context, base::Sink& sink);

}  // namespace crivo::classic
