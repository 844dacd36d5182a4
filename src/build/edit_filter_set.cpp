// SPDX-License-Identifier: Apache-2.0
/// Changes of filter sets: each writes a chain (formats/filterset.md).
#include <cmath>
#include <utility>

#include "base/as_error.hpp"
#include "build/builds.hpp"
#include "build/changed_layers.hpp"
#include "build/choices.hpp"
#include "build/notes.hpp"
#include "file/pending_file.hpp"
#include "file/section_types.hpp"
#include "lookup/filter_set_layers.hpp"
#include "structures/filter_set/build/groups_section.hpp"

namespace crivo {
namespace {

using Path = std::filesystem::path;

constexpr index::LayeredKind kGroupLayers{.kind = file::Kind::filter_set,
                                          .noun = "group",
                                          .ending = ".groups",
                                          .names = [](const file::Container& layer) {
                                            const filter_set::GroupedFilters set =
                                                filter_set::set_of(layer);
                                            std::vector<std::string_view> names;
                                            for (std::uint64_t i = 0; i < set.header().groups; ++i)
                                              names.push_back(set.name(i));
                                            return names;
                                          }};

/// What the layers were built with, which a further one is built with.
FilterSetOptions options_of(const index::ChangedLayers& changed) {
  return index::options_of<FilterSetOptions>(
      index::recorded_choices(changed.layers().back()->metadata()));
}

/// The keys of some groups of a set: all, or their share of its bytes.
std::uint64_t keys_of(const file::Container& layer, const filter_set::GroupedFilters& set,
                      std::uint64_t groups, std::uint64_t bytes) {
  const std::uint64_t keys = layer.header().keys;
  if (groups == set.header().groups) return keys;
  const double share = set.filters_bytes() == 0
                           ? 0
                           : static_cast<double>(bytes) / static_cast<double>(set.filters_bytes());
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(keys) * share));
}

/// Writes all groups that are there as one layer.
void write_layer(index::ChangedLayers& changed, const BuildOptions& options) {
  std::vector<filter_set::GroupedFilters> sets;
  for (const file::Container* const layer : changed.layers())
    sets.push_back(filter_set::set_of(*layer));
  std::vector<filter_set::PlacedGroup> groups;
  std::vector<std::uint64_t> bytes(sets.size());
  std::vector<std::uint64_t> counts(sets.size());
  for (const auto& [name, place] : changed.live()) {
    groups.push_back({&sets[place.layer], place.number});
    bytes[place.layer] += sets[place.layer].filter(place.number).bytes.size();
    ++counts[place.layer];
  }
  file::Header header = changed.header();
  header.kind = file::Kind::filter_set;
  header.keys = 0;
  for (std::size_t i = 0; i < sets.size(); ++i)
    header.keys += keys_of(*changed.layers()[i], sets[i], counts[i], bytes[i]);
  const FilterSetOptions set = options_of(changed);
  const auto target = file::OutputTarget::file(changed.next_layer(), file::IfExists::refuse);
  file::PendingFile pending(target);
  file::ContainerWriter writer(pending,
                               set.no_tree ? file::HashTree::none : file::HashTree::sha256);
  const base::Bytes table = filter_set::put_together(groups, sets.front().header(),
                                                     writer.begin_section(file::kFiltersSection));
  writer.begin_section(file::kFilterGroupsSection).append(table);
  writer.finish(header, index::with_notes(index::metadata_of(set), options));
  pending.publish();
}

}  // namespace

LayersChange add_groups(const Path& set, const KeyInput& pairs, const Path& chain,
                        const LayersEdit& edit, const BuildOptions& options) try {
  index::ChangedLayers changed(kGroupLayers, set, chain, options);
  changed.remove(edit.removed);
  const BuildSummary built = index::build_filter_set(
      pairs, changed.next_layer(), options_of(changed), index::options_of_layer(changed, options),
      hashing::hash_family(changed.header().key_hash));
  changed.add();
  LayersChange done = changed.publish(edit, options);
  done.warnings.insert(done.warnings.begin(), built.warnings.begin(), built.warnings.end());
  return done;
} catch (...) {
  base::rethrow_as_error();
}

LayersChange remove_groups(const Path& set, const Path& chain, const LayersEdit& edit,
                           const BuildOptions& options) try {
  index::ChangedLayers changed(kGroupLayers, set, chain, options);
  changed.remove(edit.removed);
  return changed.publish(edit, options);
} catch (...) {
  base::rethrow_as_error();
}

LayersChange compact_groups(const Path& chain, const LayersEdit& edit,
                            const BuildOptions& options) try {
  index::ChangedLayers changed(kGroupLayers, chain, chain, options);
  changed.remove(edit.removed);
  write_layer(changed, options);
  changed.compact();
  LayersChange done = changed.publish(edit, options);
  done.added = 0;
  return done;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
