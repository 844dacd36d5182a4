// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "structures/classic/functions.hpp"
#include "structures/classic/section.hpp"
#include "structures/classic/vertex_table.hpp"

namespace crivo::classic {
namespace {

template <unsigned kArity>
class MwhcFunction final : public mphf::Function {
 public:
  MwhcFunction(const SectionHeader& header, base::FieldReader& reader)
      : header_(header), g_(header, Table(reader, header.entries)) {}

  std::uint64_t size() const noexcept override { return header_.keys; }
  std::vector<Parameter> parameters() const override { return header_.parameters("vertices"); }

  std::uint64_t rank(Hash128 hash) const noexcept override { return resolve(g_.edge(hash)); }

  void ranks(std::span<const Hash128> hashes, std::uint64_t* ranks) const noexcept override {
    g_.resolve_all(hashes, ranks, [this](const Edge<kArity>& edge) { return resolve(edge); });
  }

 private:
  /// A key outside the set has any exclusive or: what is no rank is made the last one.
  std::uint64_t resolve(const Edge<kArity>& edge) const noexcept {
    return std::min(g_.sum(edge), header_.keys - 1);
  }

  SectionHeader header_;
  VertexTable<kArity, Table> g_;
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
    function = std::make_unique<MwhcFunction<2>>(header, reader);
  } else {
    function = std::make_unique<MwhcFunction<3>>(header, reader);
  }
  reader.expect_end();
  return function;
}

}  // namespace crivo::classic
