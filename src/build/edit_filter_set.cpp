// SPDX-License-Identifier: Apache-2.0
/// Changes of filter sets: each writes a chain (formats/filterset.md).
#include <cmath>
#include <utility>

#include "base/as_error.hpp"
#include "build/builds.hpp"
#include "build/changed_layers.hpp"
#include "build/choices.hpp"
#include "build/notes.hpp"
#include "crivo/build/key_form.hpp"
#include "crivo/error.hpp"
#include "crivo/suffixes.hpp"
#include "file/pending_file.hpp"
#include "file/section_types.hpp"
#include "lookup/filter_set_file.hpp"
#include "structures/filter_set/build/groups_section.hpp"

namespace crivo {
namespace {

using Path = std::filesystem::path;

constexpr index::LayeredKind kGroupLayers{.kind = file::Kind::filter_set,
                                          .noun = "group",
                                          .ending = ".groups",
                                          .names = [](const file::Container& layer) {
                                            const filter_set::FilterSetFile set(layer);
                                            std::vector<std::string_view> names;
                                            for (std::uint64_t i = 0; i < set.groups(); ++i)
                                              names.push_back(set.name(i));
                                            return names;
                                          }};

/// What the layers were built with, which a further one is built with.
FilterSetOptions options_of(const index::ChangedLayers& changed) {
  return index::options_of<FilterSetOptions>(
      index::recorded_choices(changed.layers().back()->metadata()));
}

/// Refuses keys that were not made as those of the layers: they would not be found.
void check_form(const index::ChangedLayers& changed, const Path& set, const BuildOptions& options) {
  const auto form_in = [](const auto& notes) -> std::string {
    const auto form = notes.find(keys::kFormName);
    return form == notes.end() ? "as they are given" : quote(form->second);
  };
  const std::string before = form_in(changed.layers().front()->metadata());
  const std::string added = form_in(options.notes);
  if (before != added)
    throw Error(ErrorKind::usage,
                set.string() + ": its keys are " + before + ", and those to be added " + added +
                    "; make them alike, and say so in the note " + std::string(keys::kFormName));
}

/// The layers of a chain whose groups come into one.
struct Merged {
  explicit Merged(const index::ChangedLayers& changed) {
    for (const file::Container* const layer : changed.layers()) {
      sets.emplace_back(*layer);
      numbers.emplace_back(sets.back().groups(), filter_set::kNoPosition);
    }
    for (const auto& [name, place] : changed.live()) {
      numbers[place.layer][place.number] = static_cast<std::uint32_t>(names.size());
      names.push_back(name);
      places.push_back(place);
    }
  }

  std::vector<filter_set::FilterSetFile> sets;
  std::vector<std::vector<std::uint32_t>> numbers;  ///< of each one's groups; or kNoPosition
  std::vector<std::string_view> names;
  std::vector<index::ChangedLayers::Place> places;  ///< of those
};

/// The keys of those groups of a layer that have a number: all, or as large a part as their filters
/// are of all.
std::uint64_t keys_of(const file::Container& layer, const filter_set::FilterSetFile& set,
                      std::span<const std::uint32_t> numbers) {
  std::uint64_t kept = 0;
  std::uint64_t all = 0;
  for (std::uint64_t group = 0; group < numbers.size(); ++group) {
    const std::uint64_t size = set.size_of(group);
    all += size;
    if (numbers[group] != filter_set::kNoPosition) kept += size;
  }
  const std::uint64_t keys = layer.header().keys;
  if (kept == all) return keys;
  return static_cast<std::uint64_t>(std::llround(
      static_cast<double>(keys) * (static_cast<double>(kept) / static_cast<double>(all))));
}

/// Writes the section of filters, and returns that of groups.
base::Bytes write_filters(const Merged& merged, base::Sink& filters) {
  const filter_set::FilterSetFile& first = merged.sets.front();
  if (first.blocks() != nullptr) {
    filter_set::BlocksTable table(first.blocks()->header(), merged.names);
    for (std::size_t i = 0; i < merged.sets.size(); ++i)
      put_blocks_together(*merged.sets[i].blocks(), merged.numbers[i], table, filters);
    filters.append(base::Bytes(filter_set::kBlocksPadding));
    return table.finish();
  }
  std::vector<filter_set::PlacedGroup> groups;
  groups.reserve(merged.places.size());
  for (const index::ChangedLayers::Place& place : merged.places)
    groups.push_back({merged.sets[place.layer].rows(), place.number});
  return filter_set::put_together(groups, first.rows()->header(), filters);
}

/// Writes all groups that are there as one layer.
void write_layer(index::ChangedLayers& changed, const BuildOptions& options) {
  const Merged merged(changed);
  file::Header header = changed.header();
  header.kind = file::Kind::filter_set;
  header.keys = 0;
  for (std::size_t i = 0; i < merged.sets.size(); ++i)
    header.keys += keys_of(*changed.layers()[i], merged.sets[i], merged.numbers[i]);
  const FilterSetOptions set = options_of(changed);
  const auto target = file::OutputTarget::file(changed.next_layer(), file::IfExists::refuse);
  file::PendingFile pending(target);
  file::ContainerWriter writer(pending,
                               set.no_tree ? file::HashTree::none : file::HashTree::sha256);
  const base::Bytes table = write_filters(merged, writer.begin_section(file::kFiltersSection));
  writer.begin_section(file::kFilterGroupsSection).append(table);
  writer.finish(header, index::with_notes(index::metadata_of(set),
                                          index::options_of_layer(changed, options)));
  pending.publish();
}

}  // namespace

LayersChange add_groups(const Path& set, const KeyInput& pairs, const Path& chain,
                        const LayersEdit& edit, const BuildOptions& options) try {
  index::ChangedLayers changed(kGroupLayers, set, chain, options);
  check_form(changed, set, options);
  changed.remove(edit.removed);
  BuildSummary built = index::build_filter_set(pairs, changed.next_layer(), options_of(changed),
                                               index::options_of_layer(changed, options),
                                               hashing::hash_family(changed.header().key_hash));
  changed.add();
  return changed.publish(edit, options, std::move(built.warnings));
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
