// SPDX-License-Identifier: Apache-2.0
#include "shards/filter_set_parts.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/as_error.hpp"
#include "build/choices.hpp"
#include "build/chosen.hpp"
#include "build/filter_set_plan.hpp"
#include "build/notes.hpp"
#include "crivo/build/shards.hpp"
#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "shards/build_part.hpp"
#include "shards/exact_parts.hpp"
#include "structures/filter_set/build/groups_section.hpp"

namespace crivo {
namespace {

using filter_set::GroupedFilters;
using filter_set::PlacedGroup;

/// The names of a shard's groups, as the tasks met them.
std::shared_ptr<const input::GroupNames> names_of(const index::KeyDirectory& directory,
                                                  const Share& shard,
                                                  const index::MemoryBudget& budget) {
  const auto range = index::range_of_shard(index::list_bits(shard.count), shard);
  const auto names = std::make_shared<input::GroupNames>(index::names_bytes(budget));
  for (const auto& keys : directory.files)
    names->add_noted(keys->group_names(), keys->name(), range.least, range.most);
  for (const auto& [_, group] : names->groups()) {
    if (group.keys > directory.totals.units) directory.fail_totals();
  }
  return names;
}

/// Whether the filters of both are of one form.
bool are_alike(const GroupedFilters& a, const GroupedFilters& b) {
  constexpr std::size_t kFormBytes = 24;
  const base::Bytes one = a.header().encode();
  const base::Bytes other = b.header().encode();
  return std::equal(one.begin(), one.begin() + kFormBytes, other.begin());
}

/// The groups of all parts, each of which has a set; in the order of their names.
std::vector<PlacedGroup> groups_of(const index::Parts& parts, std::vector<GroupedFilters>& sets) {
  struct Named {
    std::string_view name;
    PlacedGroup place;
  };
  std::vector<Named> all;
  sets.reserve(parts.size());
  for (const auto& part : parts) {
    const file::Container& own = part->container();
    file::naming(part->name(), [&] {
      sets.emplace_back(own.require(file::kFilterGroupsSection, "filter groups"),
                        own.require(file::kFiltersSection, "filters"));
      sets.back().check();
    });
    const GroupedFilters& set = sets.back();
    if (!are_alike(set, sets.front()))
      own.fail("damaged: its filters are not of the form of others");
    for (std::uint64_t group = 0; group < set.header().groups; ++group)
      all.push_back({set.name(group), {&set, group}});
  }
  std::ranges::sort(all, {}, &Named::name);
  const auto twice = std::ranges::adjacent_find(all, {}, &Named::name);
  if (twice != all.end())
    parts[static_cast<std::size_t>(twice->place.set - sets.data())]->container().fail(
        "damaged: a group is in another part, too");
  std::vector<PlacedGroup> groups;
  groups.reserve(all.size());
  for (const Named& one : all) groups.push_back(one.place);
  return groups;
}

}  // namespace

namespace index {

BuildSummary merge_filter_set(const Parts& parts, const BuildOptions& options, BuildFrame& frame,
                              BuiltFile& file) {
  check_lists(parts);
  const PartFile& first = *parts.front();
  const auto set = file::naming(first.name(), [&] {
    return options_of<FilterSetOptions>(recorded_choices(first.head().choices));
  });
  std::vector<GroupedFilters> sets;
  const std::vector<PlacedGroup> groups = groups_of(parts, sets);
  const base::BuildContext context = frame.context();
  context.progress.begin("merge", groups.size());
  Recipe recipe;
  recipe.header = first.container().header();
  recipe.header.kind = file::Kind::filter_set;
  recipe.algorithm = set.type;
  recipe.metadata = first.head().choices;
  if (set.no_tree) recipe.tree = file::HashTree::none;
  recipe.steps.emplace_back().form.emplace<StepWritten>().write = [&](const BeginSection& begin) {
    const base::Bytes table =
        filter_set::put_together(groups, sets.front().header(), begin(file::kFiltersSection, 0));
    begin(file::kFilterGroupsSection, 0).append(table);
  };
  run(recipe, {}, file, context);
  frame.end_building();
  file.finish(recipe.header, with_notes(recipe.metadata, options));
  return file.publish(frame, recipe.header, recipe.algorithm);
}

}  // namespace index

BuildSummary build_filter_set_part(const std::filesystem::path& directory, const Share& shard,
                                   const std::filesystem::path& output, const FilterSetOptions& set,
                                   const BuildOptions& options) try {
  if (set.layout == FilterSetLayout::blocks)
    throw Error(ErrorKind::usage,
                "where a group is in blocks depends on the sizes of all groups, so that they are "
                "not built in shards; use the layout rows",
                {.remedy = "layout"});
  const FilterOptions filters = index::filters_of(set);
  return index::build_shard(
      directory, shard, output, options, false, [&](const index::KeyDirectory& keys) {
        if (!keys.totals.groups)
          index::refuse_directory(directory,
                                  "its keys are in no groups; use filter_set when partitioning",
                                  "filter_set");
        const index::MemoryBudget budget = index::MemoryPlan(options).budget();
        return index::plan(set, filters, keys.totals.keys, names_of(keys, shard, budget), budget,
                           directory.string());
      });
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
