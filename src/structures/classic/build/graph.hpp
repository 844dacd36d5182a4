// SPDX-License-Identifier: Apache-2.0
/// Random r-graphs whose edges are the keys: the mapping step of MWHC, BMZ and BDZ.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "crivo/progress.hpp"
#include "hashing/hash128.hpp"
#include "structures/classic/blocks.hpp"
#include "structures/classic/edges.hpp"
#include "structures/classic/range.hpp"

namespace crivo::classic {

/// An edge-oriented r-graph (Ebert, "A versatile data structure for edge-oriented graph
/// algorithms", CACM 1987): the edges stand in an array, and the list of the edges at a vertex is
/// threaded through `first` and `next`, whose element a + i * n says "edge a, as its vertex i".
template <unsigned kArity>
class Graph {
 public:
  static constexpr std::uint32_t kEnd = UINT32_MAX;

  Graph(std::uint32_t vertices, std::uint32_t edges);

  /// Makes the graph anew: edge a is edge_of(words(hashes[a], salt)). O(|V| + n).
  template <typename EdgeOf>
  void generate(std::span<const Hash128> hashes, std::uint32_t salt, EdgeOf&& edge_of);

  std::uint32_t vertices() const noexcept { return static_cast<std::uint32_t>(first_.size()); }
  std::uint32_t edges() const noexcept { return static_cast<std::uint32_t>(edges_.size()); }
  const Edge<kArity>& edge(std::uint32_t a) const noexcept { return edges_[a]; }

  bool degree_is_zero(std::uint32_t v) const noexcept { return first_[v] == kEnd; }
  bool degree_is_one(std::uint32_t v) const noexcept {
    return first_[v] != kEnd && next_[first_[v]] == kEnd;
  }
  /// Calls visit(a) for each edge at a vertex; no edge may be erased meanwhile.
  template <typename Visit>
  void for_each_edge_at(std::uint32_t v, Visit&& visit) const {
    for (std::uint32_t at = first_[v]; at != kEnd; at = next_[at]) visit(at % edges());
  }

  /// Takes away edge after edge with a vertex of degree 1 and returns them in that order. The graph
  /// is acyclic if these are all; what is left is its 2-core. Vertices are visited in ascending
  /// order, and from each, depth first, those that become of degree 1. O(|V| + n): it ends before
  /// its time in a graph with vertices of degrees that are no random graph's. `progress` (may be
  /// null) can cancel it.
  std::vector<std::uint32_t> peel(Progress* progress = nullptr);

 private:
  void link(std::uint32_t a);
  std::uint64_t erase(std::uint32_t a);

  std::vector<Edge<kArity>> edges_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> next_;
};

template <unsigned kArity>
template <typename EdgeOf>
void Graph<kArity>::generate(std::span<const Hash128> hashes, std::uint32_t salt,
                             EdgeOf&& edge_of) {
  constexpr std::uint32_t kAhead = 16;  // the lists' heads lie anywhere: they are fetched ahead
  first_.assign(first_.size(), kEnd);
  const auto n = edges();
  for (std::uint32_t a = 0; a < n + kAhead; ++a) {
    if (a < n) {
      edges_[a] = edge_of(words(hashes[a], salt));
      for (const std::uint32_t v : edges_[a]) __builtin_prefetch(&first_[v], 1);
    }
    if (a >= kAhead) link(a - kAhead);
  }
}

extern template class Graph<2>;
extern template class Graph<3>;

}  // namespace crivo::classic
