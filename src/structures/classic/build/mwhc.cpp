// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "structures/classic/build/acyclic.hpp"
#include "structures/classic/build/functions.hpp"
#include "structures/classic/build/section.hpp"
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

}  // namespace

void build_mwhc2(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
                 const base::BuildContext& context, base::Sink& sink) {
  build<2>(hashes, choices, context, sink);
}

void build_mwhc3(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
                 const base::BuildContext& context, base::Sink& sink) {
  build<3>(hashes, choices, context, sink);
}

}  // namespace crivo::classic
