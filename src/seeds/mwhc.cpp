#include "seeds/mwhc.hpp"

#include <algorithm>
#include <vector>

#include "seeds/blocks.hpp"
#include "seeds/graph.hpp"
#include "seeds/section.hpp"
#include "util/bits.hpp"

namespace crivo::seeds {
namespace {

/// The search step: edges leave the stack in the opposite order of their removal, so each has a
/// vertex that no edge before it has, whose value makes the edge's exclusive or its key's place.
template <unsigned kArity>
std::vector<std::uint32_t> assign(const Graph<kArity>& graph,
                                  const std::vector<std::uint32_t>& peeled) {
  constexpr std::uint32_t kUnassigned = UINT32_MAX;
  std::vector<std::uint32_t> g(graph.vertices(), kUnassigned);
  for (auto a = peeled.rbegin(); a != peeled.rend(); ++a) {
    std::uint32_t sum = 0;
    std::uint32_t last = 0;
    for (const std::uint32_t v : graph.edge(*a)) {
      if (g[v] == kUnassigned) {
        last = v;
        g[v] = 0;
      } else {
        sum ^= g[v];
      }
    }
    g[last] = *a ^ sum;
  }
  std::ranges::replace(g, kUnassigned, 0U);
  return g;
}

template <unsigned kArity>
void build(const keys::SortedHashes& hashes, const mphf::BuildChoices& choices,
           const util::BuildContext& context, file::Sink& sink) {
  check_keys(hashes.size());
  context.progress.begin("mphf", hashes.size());
  const auto n = static_cast<std::uint32_t>(hashes.size());
  SectionHeader header{.keys = n, .range = choices.range, .arity = kArity};
  if (n == 0) {
    header.write(sink);
    return;
  }
  header.entries = mwhc_vertices(kArity, n);
  const auto vertices = static_cast<std::uint32_t>(header.entries);
  const LooplessEdges<kArity> edge_of(choices.range, vertices);
  Graph<kArity> graph(vertices, n);
  for (; header.salt < kMaxGraphs; ++header.salt) {
    graph.generate(hashes.partition(0, 0), header.salt, edge_of);
    const std::vector<std::uint32_t> peeled = graph.peel();
    if (peeled.size() != n) continue;
    context.progress.begin("search", n);
    const std::vector<std::uint32_t> g = assign(graph, peeled);
    context.progress.add(n);
    header.write(sink);
    write_entries(g, sink);
    return;
  }
  fail_attempts("no acyclic graph", n, kMaxGraphs);
}

template <unsigned kArity>
class MwhcFunction final : public mphf::Function {
 public:
  MwhcFunction(const SectionHeader& header, file::FieldReader& reader)
      : header_(header),
        keys_(header.keys),
        salt_(header.salt),
        edge_of_(header.range, static_cast<std::uint32_t>(header.entries)),
        g_(reader, header.entries) {}

  std::uint64_t size() const noexcept override { return keys_; }
  std::vector<Parameter> parameters() const override { return header_.parameters("vertices"); }

  std::uint64_t rank(Hash128 hash) const noexcept override {
    return resolve(edge_of_(words(hash, salt_)));
  }

  void ranks(std::span<const Hash128> hashes, std::uint64_t* ranks) const noexcept override {
    rank_in_blocks(
        hashes, ranks,
        [this](Hash128 hash) {
          const Edge<kArity> edge = edge_of_(words(hash, salt_));
          for (const std::uint32_t v : edge) g_.prefetch(v);
          return edge;
        },
        [this](const Edge<kArity>& edge) { return resolve(edge); });
  }

 private:
  /// A key outside the set has any exclusive or: what is no rank is made the last one.
  std::uint64_t resolve(const Edge<kArity>& edge) const noexcept {
    std::uint64_t rank = 0;
    for (const std::uint32_t v : edge) rank ^= g_[v];
    return std::min(rank, keys_ - 1);
  }

  SectionHeader header_;
  std::uint64_t keys_;
  std::uint32_t salt_;
  LooplessEdges<kArity> edge_of_;
  Table g_;
};

}  // namespace

std::uint32_t mwhc_vertices(unsigned arity, std::uint64_t keys) noexcept {
  const std::uint64_t hundredths = arity == 2 ? 209 : 123;
  return static_cast<std::uint32_t>(
      std::max(util::div_ceil(keys * hundredths, 100), keys + 2 * arity));
}

void build_mwhc2(const keys::SortedHashes& hashes, const mphf::BuildChoices& choices,
                 const util::BuildContext& context, file::Sink& sink) {
  build<2>(hashes, choices, context, sink);
}

void build_mwhc3(const keys::SortedHashes& hashes, const mphf::BuildChoices& choices,
                 const util::BuildContext& context, file::Sink& sink) {
  build<3>(hashes, choices, context, sink);
}

std::unique_ptr<const mphf::Function> open_mwhc(file::ByteView section) {
  file::FieldReader reader(section, "mphf section");
  const SectionHeader header = SectionHeader::read(reader);
  if (header.pattern_salt != 0) reader.fail("a reserved field is not zero");
  if (header.arity != 2 && header.arity != 3) reader.fail("the vertices of an edge are not 2 or 3");
  std::unique_ptr<const mphf::Function> function;
  if (header.keys == 0) {
    if (header.entries != 0) reader.fail("there are vertices, and no keys");
    function = empty_function();
  } else {
    if (header.entries < header.arity) reader.fail("the number of vertices is out of range");
    if (header.arity == 2) {
      function = std::make_unique<MwhcFunction<2>>(header, reader);
    } else {
      function = std::make_unique<MwhcFunction<3>>(header, reader);
    }
  }
  reader.expect_end();
  return function;
}

}  // namespace crivo::seeds
