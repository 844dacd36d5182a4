// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "base/arithmetic.hpp"
#include "structures/bits/bit_fields.hpp"
#include "structures/classic/build/acyclic.hpp"
#include "structures/classic/build/functions.hpp"
#include "structures/retrieval/build/value_source.hpp"

namespace crivo::classic {
namespace {

template <unsigned kArity>
void build(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
           const base::BuildContext& context, base::Sink& sink) {
  check_keys(hashes.size());
  SectionHeader header{.keys = hashes.size(), .range = choices.range, .arity = kArity};
  if (header.keys == 0) {
    write(header, sink);
    return;
  }
  const stream::KeySlice keys = hashes.whole(context);
  const Acyclic<kArity> acyclic = find_acyclic<kArity>(keys.hashes, header, context.progress);
  std::vector<std::uint32_t> ranks(keys.size());
  if (choices.ranks) {
    ranks = retrieval::values_of<std::uint32_t>(keys, choices.ranks);
  } else {
    std::iota(ranks.begin(), ranks.end(), 0U);
  }
  write(header, sink);
  write_entries(vertex_values(acyclic, ranks), sink);
  context.progress.add(header.keys);
}

std::uint64_t table_bytes(std::uint64_t entries, unsigned width) noexcept {
  return base::div_ceil(entries * width, 8) + bits::kFieldPadding;
}

void write_table(std::span<const std::uint64_t> entries, unsigned width, base::Sink& sink) {
  base::Bytes bytes(table_bytes(entries.size(), width));
  for (std::uint64_t i = 0; i < entries.size(); ++i) {
    bits::store_bits(bytes.data(), i * width, width, entries[i]);
  }
  sink.append(bytes);
}

template <unsigned kArity>
void build_map(const stream::HashSource& hashes, const map::Parameters& parameters,
               const retrieval::ValueSource& source, const base::BuildContext& context,
               base::Sink& sink) {
  check_keys(hashes.size());
  SectionHeader header{
      .keys = hashes.size(), .arity = kArity, .width = static_cast<std::uint8_t>(parameters.width)};
  if (header.keys == 0) {
    write(header, sink);
    return;
  }
  const stream::KeySlice keys = hashes.whole(context);
  const Acyclic<kArity> acyclic = find_acyclic<kArity>(keys.hashes, header, context.progress);
  write(header, sink);
  write_table(vertex_values(acyclic, retrieval::values_of<std::uint64_t>(keys, source)),
              parameters.width, sink);
  context.progress.add(header.keys);
}

}  // namespace

void build_mwhc2(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
                 const base::BuildContext& context, base::Sink& sink) {
  build<2>(hashes, choices, context, sink);
}

void build_mwhc3(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
                 const base::BuildContext& context, base::Sink& sink) {
  build<3>(hashes, choices, context, sink);
}

void build_mwhc2_map(const stream::HashSource& hashes, const map::Parameters& parameters,
                     const retrieval::ValueSource& values, const base::BuildContext& context,
                     base::Sink& sink) {
  build_map<2>(hashes, parameters, values, context, sink);
}

void build_mwhc3_map(const stream::HashSource& hashes, const map::Parameters& parameters,
                     const retrieval::ValueSource& values, const base::BuildContext& context,
                     base::Sink& sink) {
  build_map<3>(hashes, parameters, values, context, sink);
}

double mwhc_map_bits_per_key(unsigned arity, std::uint64_t n, unsigned width) noexcept {
  if (n == 0) return 0;
  const auto entries = static_cast<double>(mwhc_vertices(arity, n));
  return entries * width / static_cast<double>(n);
}

}  // namespace crivo::classic
