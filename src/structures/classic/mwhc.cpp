// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/arithmetic.hpp"
#include "hashing/hash128.hpp"
#include "structures/bits/bit_fields.hpp"
#include "structures/classic/blocks.hpp"
#include "structures/classic/edges.hpp"
#include "structures/classic/functions.hpp"
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

namespace {

/// MWHC, or with `kAdds` BMZ: a key's rank is made of the values of its edge's vertices.
template <unsigned kArity, bool kAdds = false>
class GraphFunction final : public mphf::Function {
 public:
  GraphFunction(const SectionHeader& header, base::FieldReader& reader)
      : header_(header), g_(header, Table(reader, header.entries)) {}

  std::uint64_t size() const noexcept override { return header_.keys; }
  std::vector<Parameter> parameters() const override { return header_.parameters("vertices"); }

  std::uint64_t rank(Hash128 hash) const noexcept override { return resolve(g_.edge(hash)); }

  void ranks(std::span<const Hash128> hashes, std::uint64_t* ranks) const noexcept override {
    g_.resolve_all(hashes, ranks, [this](const Edge<kArity>& edge) { return resolve(edge); });
  }

 private:
  /// A key outside the set has any values: what is no rank is made the last one.
  std::uint64_t resolve(const Edge<kArity>& edge) const noexcept {
    return std::min<std::uint64_t>(kAdds ? g_[edge[0]] + g_[edge[1]] : g_.sum(edge),
                                   header_.keys - 1);
  }

  SectionHeader header_;
  VertexTable<kArity, Table> g_;
};

/// A mapped table of entries of `width` bits.
class PackedTable {
 public:
  PackedTable(base::FieldReader& reader, std::uint64_t entries, unsigned width)
      : data_(bits::take_fields(reader, entries * width).data()),
        width_(width),
        mask_(~std::uint64_t{0} >> (64 - width)) {}

  std::uint64_t operator[](std::uint32_t i) const noexcept {
    return static_cast<std::uint64_t>(bits::load_bits(data_, std::uint64_t{i} * width_)) & mask_;
  }
  void prefetch(std::uint32_t i) const noexcept {
    __builtin_prefetch(data_ + std::uint64_t{i} * width_ / 8);
  }

 private:
  const std::byte* data_;
  unsigned width_;
  std::uint64_t mask_;
};

template <unsigned kArity>
class MwhcMap final : public map::StaticFunction {
 public:
  MwhcMap(const SectionHeader& header, base::FieldReader& reader)
      : header_(header), g_(header, PackedTable(reader, header.entries, header.width)) {}

  std::uint64_t size() const noexcept override { return header_.keys; }
  unsigned width() const noexcept override { return header_.width; }
  std::vector<Parameter> parameters() const override { return header_.parameters("vertices"); }

  std::uint64_t value(Hash128 hash) const noexcept override { return g_.sum(g_.edge(hash)); }

  void values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept override {
    g_.resolve_all(hashes, values, [this](const Edge<kArity>& edge) { return g_.sum(edge); });
  }

 private:
  SectionHeader header_;
  VertexTable<kArity, PackedTable> g_;
};

/// The function of no keys.
class EmptyMap final : public map::StaticFunction {
 public:
  explicit EmptyMap(unsigned width) : width_(width) {}

  std::uint64_t size() const noexcept override { return 0; }
  unsigned width() const noexcept override { return width_; }
  std::uint64_t value(Hash128) const noexcept override { return 0; }
  void values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept override {
    std::fill_n(values, hashes.size(), std::uint64_t{0});
  }

 private:
  unsigned width_;
};

}  // namespace

std::unique_ptr<const mphf::Function> open_mwhc(base::ByteView section) {
  base::FieldReader reader(section, "mphf section");
  const SectionHeader header = SectionHeader::read(reader);
  header.expect_mphf(reader);
  if (header.arity != 2 && header.arity != 3) reader.fail("the vertices of an edge are not 2 or 3");
  std::unique_ptr<const mphf::Function> function;
  if (!header.has_graph(reader)) {
    function = empty_function();
  } else if (header.arity == 2) {
    function = std::make_unique<GraphFunction<2>>(header, reader);
  } else {
    function = std::make_unique<GraphFunction<3>>(header, reader);
  }
  reader.expect_end();
  return function;
}

std::unique_ptr<const mphf::Function> open_bmz(base::ByteView section) {
  base::FieldReader reader(section, "mphf section");
  const SectionHeader header = SectionHeader::read(reader);
  header.expect_mphf(reader);
  if (header.arity != 2) reader.fail("the vertices of an edge are not 2");
  std::unique_ptr<const mphf::Function> function = empty_function();
  if (header.has_graph(reader)) function = std::make_unique<GraphFunction<2, true>>(header, reader);
  reader.expect_end();
  return function;
}

std::unique_ptr<const map::StaticFunction> open_mwhc_map(base::ByteView section) {
  base::FieldReader reader(section, "map section");
  const SectionHeader header = SectionHeader::read(reader);
  if (header.width == 0 || header.width > 64) reader.fail("values have not 1 to 64 bits");
  if (header.arity != 2 && header.arity != 3) reader.fail("the vertices of an edge are not 2 or 3");
  std::unique_ptr<const map::StaticFunction> function;
  if (!header.has_graph(reader)) {
    function = std::make_unique<EmptyMap>(header.width);
  } else if (header.arity == 2) {
    function = std::make_unique<MwhcMap<2>>(header, reader);
  } else {
    function = std::make_unique<MwhcMap<3>>(header, reader);
  }
  reader.expect_end();
  return function;
}

}  // namespace crivo::classic
