// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "crivo/suffixes.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/describe.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/kinds.hpp"

namespace crivo::index {
namespace {

/// Describes the changes of a delta, and the state that it leads to.
void describe_follower(const file::Container& container, const exact::Delta& delta,
                       FileInfo& info) {
  info.base = file::to_hex(delta.base);
  info.state_before = file::to_hex(delta.before);
  info.state = file::to_hex(delta.after(container.digest()));
  info.parameters.push_back({"number", delta.number});
  info.parameters.push_back({"deltas", std::uint64_t{delta.lists.size()}});
}

void describe_flips(const file::Container& container, const exact::Delta& delta, FileInfo& info) {
  file::naming(container.name(), [&] {
    std::uint64_t groups = delta.groups;
    for (const exact::FlipList& list : delta.lists) {
      exact::FlipReader(list, groups).for_each([](std::size_t, const exact::Flip&) {});
      groups += list.added_groups();
    }
    return 0;
  });
  (void)exact::covers_of(container);
  info.algorithm = "flips";
  info.parameters.push_back({"flips", delta.flips()});
  info.parameters.push_back({"members", delta.lists.back().members});
  info.parameters.push_back({"universe", delta.lists.back().universe});
  if (delta.grouped)
    info.parameters.push_back({"added_groups", delta.groups_after() - delta.groups});
}

/// Adds what a delta adds to a filter.
void describe_layers(const file::Container& container, const exact::Delta& delta, FileInfo& info) {
  const filter::AddedLayers added(container, delta);
  for (std::uint64_t tag = 0; tag < added.layers.size(); ++tag) {
    const auto section = container.find(file::kRibbonSection, tag);
    const std::uint64_t bytes =
        delta.lists.size() == 1 || !section ? container.bytes() : section->size();
    info.layers.push_back({added.layers[tag]->size(), bytes, added.layers[tag]->fpr()});
  }
}

/// Describes the state of a chain of any base.
void describe_state(const exact::ChainState& chain, FileInfo& info) {
  info.keys = chain.members();
  info.bytes += chain.base().bytes() + chain.delta_bytes();
  info.base = file::to_hex(chain.base().digest());
  info.state = file::to_hex(chain.state());
  info.parameters.push_back({"deltas", chain.next_number() - 1});
  info.parameters.push_back({"delta_files", chain.deltas()});
  info.parameters.push_back({"base_bytes", chain.base().bytes()});
  info.parameters.push_back({"delta_bytes", chain.delta_bytes()});
  // Keys asked of the chain are made as the keys of its base were.
  const file::Metadata metadata = chain.base().metadata();
  for (const std::string_view name : {keys::kFormName, kPrefixesName}) {
    if (const auto found = metadata.find(name); found != metadata.end())
      info.metadata.insert(*found);
  }
}

void describe_filter_chain(const file::Container& container,
                           const std::vector<file::Container>& files, FileInfo& info) {
  const filter::LinkedFilter linked(exact::pointers(container, files));
  exact::check_chain(container, linked);
  info.algorithm = "layers";
  info.fpr = linked.membership().fpr();
  describe_state(linked, info);
  info.layers.push_back({files.front().header().keys, files.front().bytes(), linked.base_fpr()});
  for (std::size_t i = 1; i < files.size(); ++i)
    describe_layers(files[i], exact::read_delta(files[i]), info);
  info.parameters.push_back({"rebase", linked.is_outgrown()});
}

}  // namespace

void describe_delta(const file::Container& container, FileInfo& info) {
  const exact::Delta delta = exact::open_delta(container);
  describe_follower(container, delta, info);
  if (!delta.of_filter) return describe_flips(container, delta, info);
  info.algorithm = "layers";
  info.parameters.push_back({"members", delta.lists.back().members});
  describe_layers(container, delta, info);
}

void describe_chain(const file::Container& container, FileInfo& info) {
  describe_chain(container, exact::open_links(container), info);
}

void describe_chain(const file::Container& container, const std::vector<file::Container>& files,
                    FileInfo& info) {
  if (files.front().header().kind == file::Kind::filter)
    return describe_filter_chain(container, files, info);
  if (files.front().header().kind == file::Kind::rows)
    return describe_row_chain(container, files, info);
  if (files.front().header().kind == file::Kind::filter_set)
    return describe_filter_set_chain(container, files, info);
  const exact::LinkedSet layers(exact::pointers(container, files));
  exact::check_chain(container, layers);
  info.algorithm = "flips";
  info.fpr = layers.exact().set->outside_rate();
  info.fpr_keys = kOutsideKeys;
  info.parameters.push_back({"universe", layers.universe()});
  if (layers.exact().set->totals().grouped)
    info.parameters.push_back({"groups", layers.set().groups()});
  info.parameters.push_back({"flips", layers.set().flips().flips()});
  describe_state(layers, info);
  info.parameters.push_back({"rebase", layers.is_long()});
}

void verify_links(const file::Container& chain, unsigned threads,
                  const std::function<void(std::uint64_t)>& progress) {
  for (const file::Container& file : exact::open_links(chain)) {
    file.verify(threads, progress);
    const IndexKind* const kind = find_index_kind(file.header().kind);
    if (kind != nullptr && kind->verify_more != nullptr) kind->verify_more(file, threads, progress);
  }
}

}  // namespace crivo::index
