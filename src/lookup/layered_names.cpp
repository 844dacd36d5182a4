// SPDX-License-Identifier: Apache-2.0
#include "lookup/layered_names.hpp"

#include "file/section_types.hpp"
#include "lookup/chain_file.hpp"
#include "structures/exact/flip_list.hpp"

namespace crivo {

RemovedNames RemovedNames::decode(base::ByteView section) {
  base::FieldReader fields(section, "section of removed names");
  const std::uint64_t names = fields.u64();
  if (names > 8 * fields.remaining()) fields.fail("ends early");
  RemovedNames removed(names);
  const base::ByteView bits = fields.take((names + 7) / 8);
  fields.expect_end();
  for (std::uint64_t i = 0; i < 8 * bits.size(); ++i) {
    if ((std::to_integer<unsigned>(bits[i / 8]) >> (i % 8) & 1) == 0) continue;
    if (i >= names) fields.fail("removes a name that there is not");
    removed.add(i);
  }
  return removed;
}

base::Bytes RemovedNames::encode() const {
  base::Bytes bits((names() + 7) / 8);
  for (std::uint64_t i = 0; i < names(); ++i) {
    if (has(i)) bits[i / 8] |= std::byte(1U << (i % 8));
  }
  base::FieldWriter out;
  out.u64(names()).bytes(bits);
  return out.take();
}

void RemovedNames::forget(std::uint64_t begin, std::uint64_t end) {
  using Offset = std::vector<bool>::difference_type;
  is_removed_.erase(is_removed_.begin() + static_cast<Offset>(begin),
                    is_removed_.begin() + static_cast<Offset>(end));
}

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
