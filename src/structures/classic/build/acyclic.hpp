// SPDX-License-Identifier: Apache-2.0
/// The mapping and ordering steps of MWHC, and the values that its search step gives to vertices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/progress.hpp"
#include "crivo/progress.hpp"
#include "hashing/hash128.hpp"
#include "structures/classic/build/functions.hpp"
#include "structures/classic/build/graph.hpp"
#include "structures/classic/range.hpp"
#include "structures/classic/section.hpp"

namespace crivo::classic {

/// So many graphs are tried. One of r = 2 is acyclic with probability 0.33, one of r = 3 almost
/// surely.
inline constexpr std::uint32_t kMaxGraphs = 256;

/// The vertices of a graph of n edges: ceil(2.09 n) for r = 2, ceil(1.23 n) for r = 3, and a few
/// more in small graphs, which else would seldom be acyclic.
constexpr std::uint32_t mwhc_vertices(unsigned arity, std::uint64_t keys) noexcept {
  const std::uint64_t hundredths = arity == 2 ? 209 : 123;
  return static_cast<std::uint32_t>(
      std::max(base::div_ceil(keys * hundredths, 100), keys + 2 * arity));
}

/// The first acyclic graph of the keys.
template <unsigned kArity>
struct Acyclic {
  Graph<kArity> graph;
  std::vector<std::uint32_t> peeled;  ///< its edges, in the order of their removal
  std::uint32_t salt = 0;             ///< kMaxGraphs: none was found

  /// O(n) for each salt; 24 bytes of memory a key and 4 a vertex for r = 2, 32 and 4 for r = 3.
  Acyclic(std::span<const Hash128> hashes, std::uint32_t vertices, Range range, Progress& progress)
      : graph(vertices, static_cast<std::uint32_t>(hashes.size())) {
    const LooplessEdges<kArity> edge_of(range, vertices);
    for (; salt < kMaxGraphs; ++salt) {
      progress.begin("mapping", hashes.size());
      graph.generate(hashes, salt,
                     [&, check = base::CancelCheck(&progress)](const Words& words) mutable {
                       check();
                       return edge_of(words);
                     });
      progress.add(hashes.size() / 2);
      peeled = graph.peel(&progress);
      progress.add(peeled.size() - peeled.size() / 2);
      if (peeled.size() != hashes.size()) continue;
      progress.begin("search", hashes.size());
      return;
    }
  }
};

/// The first acyclic graph of a header's keys and range, whose vertices and salt it gets. Throws
/// Error(bad_input) if there is none.
template <unsigned kArity>
Acyclic<kArity> find_acyclic(std::span<const Hash128> hashes, SectionHeader& header,
                             Progress& progress) {
  header.entries = mwhc_vertices(kArity, header.keys);
  Acyclic<kArity> acyclic(hashes, static_cast<std::uint32_t>(header.entries), header.range,
                          progress);
  if (acyclic.salt == kMaxGraphs) fail_attempts("no acyclic graph", header.keys, kMaxGraphs);
  header.salt = acyclic.salt;
  return acyclic;
}

/// Values of the vertices, of which those of edge a have the exclusive or values[a]: edges leave
/// the stack in the opposite order of their removal, so each has a vertex that no edge before it
/// has. Vertices without edges have 0.
template <unsigned kArity, typename Value>
std::vector<Value> vertex_values(const Acyclic<kArity>& acyclic, const std::vector<Value>& values) {
  const Graph<kArity>& graph = acyclic.graph;
  std::vector<Value> g(graph.vertices());
  std::vector<bool> assigned(graph.vertices());
  for (auto a = acyclic.peeled.rbegin(); a != acyclic.peeled.rend(); ++a) {
    Value value = values[*a];
    std::uint32_t last = 0;
    for (const std::uint32_t v : graph.edge(*a)) {
      if (assigned[v]) {
        value ^= g[v];
      } else {
        last = v;
        assigned[v] = true;
      }
    }
    g[last] = value;
  }
  return g;
}

}  // namespace crivo::classic
