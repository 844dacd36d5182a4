// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "faces/describe_kinds.hpp"
#include "opening/chain_file.hpp"

namespace crivo::index {
namespace {

/// A base that is to be replaced: what deltas are of it by then.
constexpr std::uint64_t kRebaseShare = 4;

}  // namespace

void describe_delta(const file::Container& container, FileInfo& info) {
  const exact::Delta delta = exact::open_delta(container);
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
  info.base = file::to_hex(delta.base);
  info.state_before = file::to_hex(delta.before);
  info.state = file::to_hex(delta.after(container.digest()));
  info.parameters.push_back({"number", delta.number});
  info.parameters.push_back({"deltas", std::uint64_t{delta.lists.size()}});
  info.parameters.push_back({"flips", delta.flips()});
  info.parameters.push_back({"members", delta.lists.back().members});
  info.parameters.push_back({"universe", delta.lists.back().universe});
  if (delta.grouped)
    info.parameters.push_back({"added_groups", delta.groups_after() - delta.groups});
}

void describe_chain(const file::Container& container, FileInfo& info) {
  const auto files = exact::open_links(container, {});
  const exact::LinkedSet layers(exact::pointers(container, files));
  if (exact::decode_chain(container).state != layers.state() ||
      container.header().keys != layers.members())
    container.fail("damaged: its deltas make another set");
  info.algorithm = "flips";
  info.fpr = layers.exact().set->outside_rate();
  info.bytes += layers.base().bytes() + layers.delta_bytes();
  info.base = file::to_hex(layers.base().digest());
  info.state = file::to_hex(layers.state());
  info.parameters.push_back({"universe", layers.universe()});
  if (layers.exact().set->totals().grouped)
    info.parameters.push_back({"groups", layers.set().groups()});
  info.parameters.push_back({"deltas", layers.next_number() - 1});
  info.parameters.push_back({"delta_files", layers.deltas()});
  info.parameters.push_back({"flips", layers.set().flips().flips()});
  info.parameters.push_back({"base_bytes", layers.base().bytes()});
  info.parameters.push_back({"delta_bytes", layers.delta_bytes()});
  info.parameters.push_back(
      {"rebase", layers.delta_bytes() > layers.base().bytes() / kRebaseShare});
}

void verify_links(const file::Container& chain, unsigned threads,
                  const std::function<void(std::uint64_t)>& progress) {
  for (const file::Container& file : exact::open_links(chain, {})) file.verify(threads, progress);
}

}  // namespace crivo::index
