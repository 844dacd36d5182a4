// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/progress.hpp"
#include "structures/classic/build/functions.hpp"
#include "structures/classic/build/graph.hpp"

namespace crivo::classic {
namespace {

/// Half of the graphs have an edge twice; of the others few fail.
constexpr std::uint32_t kMaxBmzGraphs = 256;

std::uint32_t vertices_of(std::uint64_t keys) noexcept {
  return static_cast<std::uint32_t>(std::max(base::div_ceil(keys * 115, 100), keys + 4));
}

/// Whether two edges have the same vertices.
bool has_multiple_edges(const Graph<2>& graph) {
  std::vector<std::uint32_t> others;
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    others.clear();
    graph.for_each_edge_at(
        v, [&](std::uint32_t a) { others.push_back(graph.edge(a)[0] ^ graph.edge(a)[1] ^ v); });
    std::ranges::sort(others);
    if (std::ranges::adjacent_find(others) != others.end()) return true;
  }
  return false;
}

/// Chooses g so that g(u) + g(v), modulo 2^32, is another number below n for each edge {u, v}.
class Search {
 public:
  /// `edges` are all edges of the graph. A vertex is critical if it is of the 2-core that peel()
  /// left in `core`.
  Search(const Graph<2>& edges, const Graph<2>& core, Progress& progress)
      : graph_(edges),
        core_(core),
        g_(edges.vertices()),
        assigned_(edges.vertices()),
        used_(edges.edges()),
        check_(&progress) {}

  /// False if the 2-core's sums do not fit below n.
  bool run() {
    for (std::uint32_t v = 0; v < core_.vertices(); ++v) {
      if (assigned_[v] || core_.degree_is_zero(v)) continue;
      if (!assign_core(v)) return false;
    }
    // Trees: first those that hang on the core, then, each from any of its vertices, the others.
    for (std::uint32_t v = 0; v < graph_.vertices(); ++v) {
      if (assigned_[v] && !core_.degree_is_zero(v)) assign_trees(v);
    }
    for (std::uint32_t v = 0; v < graph_.vertices(); ++v) {
      if (assigned_[v]) continue;
      assigned_[v] = true;
      assign_trees(v);
    }
    return true;
  }

  const std::vector<std::uint32_t>& values() const noexcept { return g_; }

 private:
  static std::uint32_t other_end(const Edge<2>& edge, std::uint32_t v) noexcept {
    return edge[0] ^ edge[1] ^ v;
  }

  /// Breadth first from `root`: each vertex gets the least value above all given before with which
  /// the sums of its edges to the vertices before it are free. (No two values are equal, so no two
  /// of those sums are.)
  bool assign_core(std::uint32_t root) {
    queue_.assign(1, root);
    assigned_[root] = true;
    queued_.resize(core_.vertices());
    queued_[root] = true;
    g_[root] = next_value_++;
    for (std::size_t at = 0; at < queue_.size(); ++at) {
      check_();
      const std::uint32_t v = queue_[at];
      if (at != 0 && !choose_value(v)) return false;
      core_.for_each_edge_at(v, [&](std::uint32_t a) {
        const std::uint32_t w = other_end(core_.edge(a), v);
        if (queued_[w]) return;
        queued_[w] = true;
        queue_.push_back(w);
      });
    }
    return true;
  }

  bool choose_value(std::uint32_t v) {
    neighbours_.clear();
    core_.for_each_edge_at(v, [&](std::uint32_t a) {
      const std::uint32_t w = other_end(core_.edge(a), v);
      if (assigned_[w]) neighbours_.push_back(g_[w]);
    });
    for (std::uint32_t x = next_value_;; ++x) {
      bool fits = true;
      for (const std::uint32_t value : neighbours_) {
        if (std::uint64_t{x} + value >= used_.size()) return false;
        fits = fits && !used_[x + value];
      }
      if (!fits) continue;
      for (const std::uint32_t value : neighbours_) used_[x + value] = true;
      g_[v] = x;
      assigned_[v] = true;
      next_value_ = x + 1;
      return true;
    }
  }

  /// Depth first over the edges outside the core from `root`: each reaches a vertex without a
  /// value, which gives the edge the least free sum.
  void assign_trees(std::uint32_t root) {
    queue_.assign(1, root);
    while (!queue_.empty()) {
      check_();
      const std::uint32_t v = queue_.back();
      queue_.pop_back();
      graph_.for_each_edge_at(v, [&](std::uint32_t a) {
        const std::uint32_t w = other_end(graph_.edge(a), v);
        if (assigned_[w]) return;
        while (used_[next_sum_]) ++next_sum_;
        used_[next_sum_] = true;
        g_[w] = next_sum_ - g_[v];
        assigned_[w] = true;
        queue_.push_back(w);
      });
    }
  }

  const Graph<2>& graph_;
  const Graph<2>& core_;
  std::vector<std::uint32_t> g_;
  std::vector<bool> assigned_;
  std::vector<bool> used_;  ///< by sum
  std::vector<bool> queued_;
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint32_t> neighbours_;  ///< values of those that have one
  std::uint32_t next_value_ = 0;
  std::uint32_t next_sum_ = 0;
  base::CancelCheck check_;
};

}  // namespace

void build_bmz(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
               const base::BuildContext& context, base::Sink& sink) {
  check_keys(hashes.size());
  const auto n = static_cast<std::uint32_t>(hashes.size());
  SectionHeader header{.keys = n, .range = choices.range, .arity = 2};
  if (n == 0) {
    write(header, sink);
    return;
  }
  const std::uint32_t vertices = vertices_of(n);
  header.entries = vertices;
  const LooplessEdges<2> edge_of(choices.range, vertices);
  Graph<2> graph(vertices, n);
  for (; header.salt < kMaxBmzGraphs; ++header.salt) {
    context.progress.begin("mapping", n);
    graph.generate(hashes.whole(context).hashes, header.salt,
                   [&, check = base::CancelCheck(&context.progress)](const Words& words) mutable {
                     check();
                     return edge_of(words);
                   });
    context.progress.add(n / 2);
    if (has_multiple_edges(graph)) continue;
    Graph<2> core = graph;
    (void)core.peel(&context.progress);
    context.progress.begin("search", n);
    Search search(graph, core, context.progress);
    if (!search.run()) continue;
    context.progress.add(n);
    write(header, sink);
    write_entries(search.values(), sink);
    return;
  }
  fail_attempts("no graph with distinct sums", n, kMaxBmzGraphs);
}

}  // namespace crivo::classic
