// SPDX-License-Identifier: Apache-2.0
#include "lookup/layered_names.hpp"

#include "file/section_types.hpp"
#include "lookup/chain_file.hpp"
#include "structures/exact/flip_list.hpp"

namespace crivo {

file::Digest state_with(const std::optional<file::Digest>& before, const file::Digest& layer) {
  return before ? exact::state_after(*before, layer) : layer;
}

LayeredNames::LayeredNames(const file::Container& own, const std::vector<file::Container>& links,
                           std::span<const std::uint64_t> counts) {
  std::uint64_t names = 0;
  for (const std::uint64_t count : counts) names += count;
  std::optional<file::Digest> state;
  for (const file::Container* const file : exact::pointers(own, links)) {
    keys_ += file->header().keys;
    state = state_with(state, file->digest());
  }
  state_ = *state;
  removed_ = RemovedNames(names);
  if (links.empty()) return;
  const base::ByteView section = own.require(file::kRemovedNamesSection, "removed names");
  removed_ = file::naming(own.name(), [&] { return RemovedNames::decode(section); });
  check_chain(own, links, names);
}

void LayeredNames::check_chain(const file::Container& chain,
                               const std::vector<file::Container>& layers,
                               std::uint64_t names) const {
  if (layers.size() > kMostLayers) chain.fail("damaged: it has too many layers");
  if (exact::decode_chain(chain).state != state_)
    chain.fail("damaged: its layers lead to another state");
  if (chain.header().keys != keys_ || removed_.names() != names)
    chain.fail("damaged: it disagrees with its layers on the number of keys or names");
  for (const file::Container& layer : layers) {
    if (layer.header().seed != chain.header().seed ||
        layer.header().key_hash != chain.header().key_hash)
      chain.fail("damaged: its layers have other hashes");
  }
}

}  // namespace crivo
