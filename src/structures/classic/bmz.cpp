// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "base/arithmetic.hpp"
#include "structures/classic/functions.hpp"
#include "structures/classic/section.hpp"
#include "structures/classic/vertex_table.hpp"

namespace crivo::classic {
namespace {

class BmzFunction final : public mphf::Function {
 public:
  BmzFunction(const SectionHeader& header, base::FieldReader& reader)
      : header_(header), g_(header, Table(reader, header.entries)) {}

  std::uint64_t size() const noexcept override { return header_.keys; }
  std::vector<Parameter> parameters() const override { return header_.parameters("vertices"); }

  std::uint64_t rank(Hash128 hash) const noexcept override { return resolve(g_.edge(hash)); }

  void ranks(std::span<const Hash128> hashes, std::uint64_t* ranks) const noexcept override {
    g_.resolve_all(hashes, ranks, [this](const Edge<2>& edge) { return resolve(edge); });
  }

 private:
  std::uint64_t resolve(const Edge<2>& edge) const noexcept {
    const std::uint32_t rank = g_[edge[0]] + g_[edge[1]];
    return std::min<std::uint64_t>(rank, header_.keys - 1);
  }

  SectionHeader header_;
  VertexTable<2, Table> g_;
};

}  // namespace

std::unique_ptr<const mphf::Function> open_bmz(base::ByteView section) {
  base::FieldReader reader(section, "mphf section");
  const SectionHeader header = SectionHeader::read(reader);
  header.expect_mphf(reader);
  if (header.arity != 2) reader.fail("the vertices of an edge are not 2");
  std::unique_ptr<const mphf::Function> function;
  if (header.has_graph(reader)) {
    function = std::make_unique<BmzFunction>(header, reader);
  } else {
    function = empty_function();
  }
  reader.expect_end();
  return function;
}

}  // namespace crivo::classic
