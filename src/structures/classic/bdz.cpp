// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "base/arithmetic.hpp"
#include "structures/classic/blocks.hpp"
#include "structures/classic/edges.hpp"
#include "structures/classic/functions.hpp"
#include "structures/classic/section.hpp"

namespace crivo::classic {
namespace {

class BdzFunction final : public mphf::Function {
 public:
  BdzFunction(const SectionHeader& header, base::FieldReader& reader)
      : header_(header),
        keys_(header.keys),
        salt_(header.salt),
        edge_of_(header.range, static_cast<std::uint32_t>(header.entries)) {
    const std::uint64_t blocks = base::div_ceil(header.entries, bdz::kBlockVertices);
    values_ = reader.take(blocks * bdz::kBlockBytes).data();
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
          const Edge<bdz::kArity> edge = edge_of_(words(hash, salt_));
          for (const std::uint32_t v : edge) {
            __builtin_prefetch(values_ + v / 4);
            ranks_.prefetch(v / bdz::kBlockVertices);
          }
          return edge;
        },
        [this](const Edge<bdz::kArity>& edge) { return rank_of_vertex(own_vertex(edge)); });
  }

 private:
  std::uint32_t value(std::uint32_t v) const noexcept {
    return std::to_integer<std::uint32_t>(values_[v / 4] >> (v % 4 * 2)) & 3;
  }

  std::uint32_t own_vertex(const Edge<bdz::kArity>& edge) const noexcept {
    return edge[(value(edge[0]) + value(edge[1]) + value(edge[2])) % 3];
  }

  /// The number of assigned vertices before `v`; made the last rank where it is none.
  std::uint64_t rank_of_vertex(std::uint32_t v) const noexcept {
    const std::byte* at = values_ + v / bdz::kBlockVertices * bdz::kBlockBytes;
    std::uint64_t rank = ranks_[v / bdz::kBlockVertices];
    std::uint32_t before = v % bdz::kBlockVertices;
    for (; before >= 32; before -= 32, at += sizeof(std::uint64_t)) {
      rank += bdz::assigned_in(base::load_le<std::uint64_t>(at), 32);
    }
    rank += bdz::assigned_in(base::load_le<std::uint64_t>(at), before);
    return std::min(rank, keys_ - 1);
  }

  SectionHeader header_;
  std::uint64_t keys_;
  std::uint32_t salt_;
  LooplessEdges<bdz::kArity> edge_of_;
  const std::byte* values_ = nullptr;
  Table ranks_;  ///< the assigned vertices before each block
};

}  // namespace

std::unique_ptr<const mphf::Function> open_bdz(base::ByteView section) {
  base::FieldReader reader(section, "mphf section");
  const SectionHeader header = SectionHeader::read(reader);
  header.expect_mphf(reader);
  if (header.arity != bdz::kArity) reader.fail("the vertices of an edge are not 3");
  std::unique_ptr<const mphf::Function> function = empty_function();
  if (header.has_graph(reader)) function = std::make_unique<BdzFunction>(header, reader);
  reader.expect_end();
  return function;
}

}  // namespace crivo::classic
