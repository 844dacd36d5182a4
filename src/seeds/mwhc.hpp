/// MWHC-2 and MWHC-3: order-preserving minimal perfect hashing over acyclic random r-graphs
/// (Majewski, Wormald, Havas, Czech, "A family of perfect hashing methods", The Computer Journal
/// 39, 1996). The bytes are specified in formats/seeds.md.
#pragma once

#include <cstdint>
#include <memory>

#include "file/bytes.hpp"
#include "file/sink.hpp"
#include "keys/sorted_hashes.hpp"
#include "mphf/function.hpp"
#include "seeds/range.hpp"
#include "util/progress.hpp"

namespace crivo::seeds {

/// So many graphs are tried. One of r = 2 is acyclic with probability 0.33, one of r = 3 almost
/// surely.
inline constexpr std::uint32_t kMaxGraphs = 256;

/// The vertices of a graph of n edges: ceil(2.09 n) for r = 2, ceil(1.23 n) for r = 3, and a few
/// more in small graphs, which else would seldom be acyclic.
std::uint32_t mwhc_vertices(unsigned arity, std::uint64_t keys) noexcept;

/// Writes the function that gives each of `hashes` its place in them: the rank of key i of the
/// sorted set is i. On one thread; O(n), and 24 bytes of memory a key and 8 a vertex for r = 2, 32
/// and 8 for r = 3. Throws Error(bad_input) if no graph is acyclic.
void build_mwhc2(const keys::SortedHashes& hashes, const mphf::BuildChoices& choices,
                 const util::BuildContext& context, file::Sink& sink);
void build_mwhc3(const keys::SortedHashes& hashes, const mphf::BuildChoices& choices,
                 const util::BuildContext& context, file::Sink& sink);

/// Checks the section in O(1); throws Error(corrupt).
std::unique_ptr<const mphf::Function> open_mwhc(file::ByteView section);

}  // namespace crivo::seeds
