// SPDX-License-Identifier: Apache-2.0
/// How BMZ is built (structures/classic/bmz.hpp).
#pragma once

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/hash_source.hpp"
#include "structures/build/mphf.hpp"

namespace crivo::classic {

/// Writes the function of `hashes`. On one thread; expected O(n), and 32 bytes of memory a key and
/// 13 a vertex, of which there are 1.15 a key. Throws Error(bad_input) if no graph will do.
void build_bmz(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
               const base::BuildContext& context, base::Sink& sink);

}  // namespace crivo::classic
