// SPDX-License-Identifier: Apache-2.0
#include "structures/classic/bdz.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "base/arithmetic.hpp"
#include "structures/classic/acyclic.hpp"
#include "structures/classic/blocks.hpp"
#include "structures/classic/section.hpp"

namespace crivo::classic {
namespace {

constexpr unsigned kArity = 3;
constexpr std::uint32_t kUnassigned = 3;  ///< of the four values of g; counts as 0

/// Vertices are counted, for ranks, in blocks whose values are one cache line.
constexpr std::uint32_t kBlockVertices = 256;
constexpr std::uint64_t kBlockBytes = kBlockVertices / 4;

/// The assigned vertices among the first `count` (at most 32) that have their values in `word`.
std::uint32_t assigned_in(std::uint64_t word, std::uint32_t count) noexcept {
  constexpr std::uint64_t kLowBits = 0x5555555555555555U;
  const std::uint64_t unassigned = word & (word >> 1) & kLowBits;
  const std::uint64_t counted =
      count == 32 ? kLowBits : kLowBits & ((std::uint64_t{1} << 2 * count) - 1);
  return static_cast<std::uint32_t>(std::popcount(counted & ~unassigned));
}

/// The values of the vertices, four to a byte, in whole blocks; vertices past the last are
/// unassigned.
class Values {
 public:
  explicit Values(std::uint32_t vertices)
      : bytes_(base::div_ceil(vertices, kBlockVertices) * kBlockBytes, std::byte{0xff}) {}

  std::uint32_t operator[](std::uint32_t v) const noexcept {
    return std::to_integer<std::uint32_t>(bytes_[v / 4] >> (v % 4 * 2)) & 3;
  }
  /// Of a vertex that is unassigned.
  void assign(std::uint32_t v, std::uint32_t value) noexcept {
    bytes_[v / 4] ^= std::byte{static_cast<unsigned char>((value ^ kUnassigned) << (v % 4 * 2))};
  }
  base::ByteView bytes() const noexcept { return bytes_; }

 private:
  base::Bytes bytes_;
};

/// Edges leave the stack in the opposite order of their removal, so each has a vertex that no edge
/// before it has: it becomes the edge's own, by the sum of the values modulo 3.
Values assign(const Graph<kArity>& graph, const std::vector<std::uint32_t>& peeled) {
  Values g(graph.vertices());
  std::vector<bool> visited(graph.vertices());
  for (auto a = peeled.rbegin(); a != peeled.rend(); ++a) {
    const Edge<kArity>& edge = graph.edge(*a);
    std::uint32_t own = kArity;
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < kArity; ++i) {
      if (visited[edge[i]]) {
        sum += g[edge[i]];
      } else {
        visited[edge[i]] = true;
        own = i;
      }
    }
    g.assign(edge[own], (own + 3 * kArity - sum) % 3);
  }
  return g;
}

class BdzFunction final : public mphf::Function {
 public:
  BdzFunction(const SectionHeader& header, base::FieldReader& reader)
      : header_(header),
        keys_(header.keys),
        salt_(header.salt),
        edge_of_(header.range, static_cast<std::uint32_t>(header.entries)) {
    const std::uint64_t blocks = base::div_ceil(header.entries, kBlockVertices);
    values_ = reader.take(blocks * kBlockBytes).data();
    ranks_ = Table(reader, blocks);
  }

  std::uint64_t size() const noexcept override { return keys_; }
  std::vector<Parameter> parameters() const override { return header_.parameters("vertices"); }

  std::uint64_t rank(Hash128 hash) const noexcept override {
    return rank_of_vertex(own_vertex(edge_of_(words(hash, salt_))));
  }

  void ranks(std::span<const Hash128> hashes, std::uint64_t* ranks) const noexcept override {
    resolve_in_blocks(
        hashes, ranks,
        [this](Hash128 hash) {
          const Edge<kArity> edge = edge_of_(words(hash, salt_));
          for (const std::uint32_t v : edge) {
            __builtin_prefetch(values_ + v / 4);
            ranks_.prefetch(v / kBlockVertices);
          }
          return edge;
        },
        [this](const Edge<kArity>& edge) { return rank_of_vertex(own_vertex(edge)); });
  }

 private:
  std::uint32_t value(std::uint32_t v) const noexcept {
    return std::to_integer<std::uint32_t>(values_[v / 4] >> (v % 4 * 2)) & 3;
  }

  std::uint32_t own_vertex(const Edge<kArity>& edge) const noexcept {
    return edge[(value(edge[0]) + value(edge[1]) + value(edge[2])) % 3];
  }

  /// The number of assigned vertices before `v`; made the last rank where it is none.
  std::uint64_t rank_of_vertex(std::uint32_t v) const noexcept {
    const std::byte* at = values_ + v / kBlockVertices * kBlockBytes;
    std::uint64_t rank = ranks_[v / kBlockVertices];
    std::uint32_t before = v % kBlockVertices;
    for (; before >= 32; before -= 32, at += sizeof(std::uint64_t)) {
      rank += assigned_in(base::load_le<std::uint64_t>(at), 32);
    }
    rank += assigned_in(base::load_le<std::uint64_t>(at), before);
    return std::min(rank, keys_ - 1);
  }

  SectionHeader header_;
  std::uint64_t keys_;
  std::uint32_t salt_;
  LooplessEdges<kArity> edge_of_;
  const std::byte* values_ = nullptr;
  Table ranks_;  ///< the assigned vertices before each block
};

void write(const SectionHeader& header, const Values& g, base::Sink& sink) {
  header.write(sink);
  sink.append(g.bytes());
  std::vector<std::uint32_t> ranks;
  std::uint32_t assigned = 0;
  for (std::size_t at = 0; at < g.bytes().size(); at += sizeof(std::uint64_t)) {
    if (at % kBlockBytes == 0) ranks.push_back(assigned);
    assigned += assigned_in(base::load_le<std::uint64_t>(g.bytes().data() + at), 32);
  }
  write_entries(ranks, sink);
}

}  // namespace

void build_bdz(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
               const base::BuildContext& context, base::Sink& sink) {
  check_keys(hashes.size());
  const auto n = static_cast<std::uint32_t>(hashes.size());
  SectionHeader header{.keys = n, .range = choices.range, .arity = kArity};
  if (n == 0) {
    header.write(sink);
    return;
  }
  const Acyclic<kArity> acyclic =
      find_acyclic<kArity>(hashes.whole(context).hashes, header, context.progress);
  write(header, assign(acyclic.graph, acyclic.peeled), sink);
  context.progress.add(n);
}

std::unique_ptr<const mphf::Function> open_bdz(base::ByteView section) {
  base::FieldReader reader(section, "mphf section");
  const SectionHeader header = SectionHeader::read(reader);
  header.expect_mphf(reader);
  if (header.arity != kArity) reader.fail("the vertices of an edge are not 3");
  std::unique_ptr<const mphf::Function> function;
  if (header.has_graph(reader)) {
    function = std::make_unique<BdzFunction>(header, reader);
  } else {
    function = empty_function();
  }
  reader.expect_end();
  return function;
}

}  // namespace crivo::classic
