// SPDX-License-Identifier: Apache-2.0
#include "structures/classic/build/graph.hpp"

#include <algorithm>

#include "base/progress.hpp"

namespace crivo::classic {

template <unsigned kArity>
Graph<kArity>::Graph(std::uint32_t vertices, std::uint32_t edges)
    : edges_(edges), first_(vertices, kEnd), next_(std::size_t{kArity} * edges) {}

template <unsigned kArity>
void Graph<kArity>::link(std::uint32_t a) {
  for (std::uint32_t i = 0; i < kArity; ++i) {
    const std::uint32_t at = a + i * edges();
    std::uint32_t& first = first_[edges_[a][i]];
    next_[at] = first;
    first = at;
  }
}

/// Returns how many edges it passed on the way. Lists are short, so the edge before is searched
/// for: the greatest degree of a random graph is O(log |V| / log log |V|).
template <unsigned kArity>
std::uint64_t Graph<kArity>::erase(std::uint32_t a) {
  std::uint64_t passed = 0;
  for (std::uint32_t i = 0; i < kArity; ++i) {
    const std::uint32_t at = a + i * edges();
    std::uint32_t* from = &first_[edges_[a][i]];
    for (; *from != at; from = &next_[*from]) ++passed;
    *from = next_[at];
  }
  return passed;
}

template <unsigned kArity>
std::vector<std::uint32_t> Graph<kArity>::peel(Progress* progress) {
  std::vector<std::uint32_t> peeled;
  peeled.reserve(edges());
  std::vector<std::uint32_t> stack;  // in place of recursion, which would go as deep as a path
  std::uint64_t steps = 64 * std::uint64_t{edges()};  // no random graph takes a fourth of them
  base::CancelCheck check(progress);
  for (std::uint32_t root = 0; root < vertices() && steps != 0; ++root) {
    check();
    stack.push_back(root);
    while (!stack.empty()) {
      const std::uint32_t v = stack.back();
      stack.pop_back();
      if (!degree_is_one(v)) continue;
      const std::uint32_t a = first_[v] % edges();
      steps -= std::min(steps, erase(a));
      peeled.push_back(a);
      stack.insert(stack.end(), edges_[a].rbegin(), edges_[a].rend());
    }
  }
  return peeled;
}

template class Graph<2>;
template class Graph<3>;

}  // namespace crivo::classic
