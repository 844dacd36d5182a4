// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "base/arithmetic.hpp"
#include "structures/classic/build/acyclic.hpp"
#include "structures/classic/build/functions.hpp"
#include "structures/classic/edges.hpp"

namespace crivo::classic {
namespace {

/// The values of the vertices, four to a byte, in whole blocks; vertices past the last are
/// unassigned.
class BdzValues {
 public:
  explicit BdzValues(std::uint32_t vertices)
      : bytes_(base::div_ceil(vertices, bdz::kBlockVertices) * bdz::kBlockBytes, std::byte{0xff}) {}

  std::uint32_t operator[](std::uint32_t v) const noexcept {
    return std::to_integer<std::uint32_t>(bytes_[v / 4] >> (v % 4 * 2)) & 3;
  }
  /// Gives a value to a vertex that has none.
  void assign(std::uint32_t v, std::uint32_t value) noexcept {
    bytes_[v / 4] ^=
        std::byte{static_cast<unsigned char>((value ^ bdz::kUnassigned) << (v % 4 * 2))};
  }
  base::ByteView bytes() const noexcept { return bytes_; }

 private:
  base::Bytes bytes_;
};

/// Edges leave the stack in the opposite order of their removal, so each has a vertex that no edge
/// before it has: it becomes the edge's own, by the sum of the values modulo 3.
BdzValues assign(const Graph<bdz::kArity>& graph, const std::vector<std::uint32_t>& peeled) {
  BdzValues g(graph.vertices());
  std::vector<bool> visited(graph.vertices());
  for (auto a = peeled.rbegin(); a != peeled.rend(); ++a) {
    const Edge<bdz::kArity>& edge = graph.edge(*a);
    std::uint32_t own = bdz::kArity;
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < bdz::kArity; ++i) {
      if (visited[edge[i]]) {
        sum += g[edge[i]];
      } else {
        visited[edge[i]] = true;
        own = i;
      }
    }
    g.assign(edge[own], (own + 3 * bdz::kArity - sum) % 3);
  }
  return g;
}

void write(const SectionHeader& header, const BdzValues& g, base::Sink& sink) {
  write(header, sink);
  sink.append(g.bytes());
  std::vector<std::uint32_t> ranks;
  std::uint32_t assigned = 0;
  for (std::size_t at = 0; at < g.bytes().size(); at += sizeof(std::uint64_t)) {
    if (at % bdz::kBlockBytes == 0) ranks.push_back(assigned);
    assigned += bdz::assigned_in(base::load_le<std::uint64_t>(g.bytes().data() + at), 32);
  }
  write_entries(ranks, sink);
}

}  // namespace

void build_bdz(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
               const base::BuildContext& context, base::Sink& sink) {
  check_keys(hashes.size());
  const auto n = static_cast<std::uint32_t>(hashes.size());
  SectionHeader header{.keys = n, .range = choices.range, .arity = bdz::kArity};
  if (n == 0) {
    write(header, sink);
    return;
  }
  const Acyclic<bdz::kArity> acyclic =
      find_acyclic<bdz::kArity>(hashes.whole(context).hashes, header, context.progress);
  write(header, assign(acyclic.graph, acyclic.peeled), sink);
  context.progress.add(n);
}

}  // namespace crivo::classic
