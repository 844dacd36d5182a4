/// MWHC-2 and MWHC-3: order-preserving minimal perfect hashing over acyclic random r-graphs
/// (Majewski, Wormald, Havas, Czech, "A family of perfect hashing methods", The Computer Journal
/// 39, 1996). The bytes are specified in formats/seeds.md.
#pragma once

#include <memory>

#include "file/bytes.hpp"
#include "file/sink.hpp"
#include "mphf/function.hpp"
#include "stream/key_source.hpp"
#include "util/progress.hpp"

namespace crivo::seeds {

/// Writes the function that gives each of `hashes` the rank that the choices have for it, or, if
/// they have none, its place. On one thread; O(n), and 28 bytes of memory a key and 8 a vertex for
/// r = 2, 36 and 8 for r = 3. Throws Error(bad_input) if no graph is acyclic.
void build_mwhc2(const stream::KeySource& hashes, const mphf::BuildChoices& choices,
                 const util::BuildContext& context, file::Sink& sink);
void build_mwhc3(const stream::KeySource& hashes, const mphf::BuildChoices& choices,
                 const util::BuildContext& context, file::Sink& sink);

/// Checks the section in O(1); throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_mwhc(file::ByteView section);

}  // namespace crivo::seeds
