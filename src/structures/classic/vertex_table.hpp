// SPDX-License-Identifier: Apache-2.0
/// Looking keys up in a graph: what the functions over edges have in common.
#pragma once

#include <cstdint>
#include <span>

#include "hashing/hash128.hpp"
#include "structures/classic/blocks.hpp"
#include "structures/classic/edges.hpp"
#include "structures/classic/section.hpp"

namespace crivo::classic {

/// A mapped table of the vertices' values, and the edges among them that keys have. `Entries` is
/// Table, or another with its two members.
template <unsigned kArity, typename Entries>
class VertexTable {
 public:
  VertexTable(const SectionHeader& header, const Entries& entries) noexcept
      : salt_(header.salt),
        edge_of_(header.range, static_cast<std::uint32_t>(header.entries)),
        entries_(entries) {}

  /// The value of a vertex.
  auto operator[](std::uint32_t v) const noexcept { return entries_[v]; }

  Edge<kArity> edge(Hash128 hash) const noexcept { return edge_of_(words(hash, salt_)); }

  /// The exclusive or of the values of an edge's vertices.
  std::uint64_t sum(const Edge<kArity>& edge) const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint32_t v : edge) sum ^= entries_[v];
    return sum;
  }

  /// answers[i] = resolve(edge(hashes[i])), with the cache misses overlapped.
  template <typename Resolve>
  void resolve_all(std::span<const Hash128> hashes, std::uint64_t* answers,
                   const Resolve& resolve) const noexcept {
    resolve_in_blocks(
        hashes, answers,
        [this](Hash128 hash) {
          const Edge<kArity> found = edge(hash);
          for (const std::uint32_t v : found) entries_.prefetch(v);
          return found;
        },
        resolve);
  }

 private:
  std::uint32_t salt_;
  LooplessEdges<kArity> edge_of_;
  Entries entries_;
};

}  // namespace crivo::classic
