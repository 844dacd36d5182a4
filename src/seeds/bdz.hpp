/// BDZ: minimal perfect hashing in 2.6 bits a key over acyclic random 3-graphs (Botelho, Pagh,
/// Ziviani, "Simple and space-efficient minimal perfect hash functions", WADS 2007). The bytes are
/// specified in formats/seeds.md.
#pragma once

#include <cstdint>
#include <memory>

#include "file/bytes.hpp"
#include "file/sink.hpp"
#include "mphf/function.hpp"
#include "stream/key_source.hpp"
#include "util/progress.hpp"

namespace crivo::seeds {

/// The edges are those of MWHC-3, not of three parts of the vertices as its authors have them: to
/// a third of the vertices the dissertation's range for Jenkins's hash is too uneven.
///
/// Writes the function of `hashes`. On one thread; O(n), and 32 bytes of memory a key and 5 a
/// vertex, of which there are 1.23 a key. Throws Error(bad_input) if no graph is acyclic.
void build_bdz(const stream::KeySource& hashes, const mphf::BuildChoices& choices,
               const util::BuildContext& context, file::Sink& sink);

/// Checks the section in O(1); throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_bdz(file::ByteView section);

}  // namespace crivo::seeds
