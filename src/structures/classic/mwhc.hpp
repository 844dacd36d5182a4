// SPDX-License-Identifier: Apache-2.0
/// MWHC-2 and MWHC-3: order-preserving minimal perfect hashing over acyclic random r-graphs
/// (Majewski, Wormald, Havas, Czech, "A family of perfect hashing methods", The Computer Journal
/// 39, 1996). The bytes are specified in formats/seeds.md.
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "stream/hash_source.hpp"
#include "structures/mphf.hpp"

namespace crivo::classic {

/// Writes the function that gives each of `hashes` the rank that the choices have for it, or, if
/// they have none, its place. On one thread; O(n), and 28 bytes of memory a key and 8 a vertex for
/// r = 2, 36 and 8 for r = 3. Throws Error(bad_input) if no graph is acyclic.
void build_mwhc2(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
                 const base::BuildContext& context, base::Sink& sink);
void build_mwhc3(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
                 const base::BuildContext& context, base::Sink& sink);

/// Checks the section in O(1); throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_mwhc(base::ByteView section);

}  // namespace crivo::classic
