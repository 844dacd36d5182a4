// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "base/named_rows.hpp"
#include "base/processor_time.hpp"
#include "build/build_file.hpp"
#include "build/builds.hpp"
#include "build/built_file.hpp"
#include "build/built_hash.hpp"
#include "build/check_answers.hpp"
#include "build/choices.hpp"
#include "build/filter_set_plan.hpp"
#include "build/memory_need.hpp"
#include "build/trial_builds.hpp"
#include "crivo/filter_set.hpp"
#include "file/content_id.hpp"
#include "file/section_types.hpp"
#include "input/grouped_keys.hpp"
#include "lookup/chain_opener.hpp"
#include "lookup/filter_set_layers.hpp"
#include "lookup/key_hash.hpp"
#include "structures/filter_set/build/block_builder.hpp"
#include "structures/filter_set/build/builder.hpp"

namespace crivo {
namespace {

constexpr std::array<std::string_view, 4> kTypes{"ribbon", "fuse", "split-block-bloom", "bloom"};
constexpr std::array<std::string_view, 2> kLayouts{"rows", "blocks"};

/// The bytes of memory for a key of the largest group, while that is built: its hashes, or the
/// block that it is in.
std::uint64_t largest_key_bytes(const FilterSetOptions& set, const FilterOptions& filters) {
  if (set.layout == FilterSetLayout::rows) return set.type == "fuse" ? 90 : 40;
  return filter_set::block_bytes(filters, 1000) / 1000 + 16;
}

index::MemoryNeed memory_of_set() {
  return {.stream_bytes = 18, .work_bytes = 6e6};  // the hashes of group and key, and the filter
}

/// Throws Error(io) if the largest group does not fit in memory while it is built.
void check_largest(const input::GroupNames& names, const std::string& source,
                   const index::MemoryBudget& budget, std::uint64_t key_bytes) {
  const auto largest =
      std::ranges::max_element(names.groups(), {}, [](const auto& one) { return one.second.keys; });
  if (largest == names.groups().end()) return;
  const auto& [name, keys] = largest->second;
  if (keys * key_bytes <= budget.bytes) return;
  throw Error(ErrorKind::io,
              source + ": the group " + quote(name) + " has " + std::to_string(keys) +
                  " keys, and takes at least " + index::needed_memory_text(keys * key_bytes) +
                  " of memory; make a filter of it",
              {.remedy = "memory"});
}

std::vector<filter_set::NamedGroup> in_order(const input::GroupNames& names) {
  std::vector<filter_set::NamedGroup> all;
  all.reserve(names.groups().size());
  for (const auto& [hash, group] : names.groups()) all.push_back({hash, group.name});
  std::ranges::sort(all, {}, &filter_set::NamedGroup::name);
  return all;
}

/// Adds the steps of both sections, where the whole set has so many keys.
template <typename Builder>
void add_steps(index::Recipe& recipe, const FilterOptions& filters,
               const std::shared_ptr<const input::GroupNames>& names) {
  const auto builder = std::make_shared<Builder>(filters, in_order(*names));
  recipe.steps.push_back(
      {.section_type = file::kFiltersSection,
       .phase = "filters",
       .form = index::StepOfAll{
           .build = [builder, names, keys = recipe.header.keys](
                        const stream::HashSource& some, const base::BuildContext& context,
                        base::Sink& sink) { builder->build(some, keys, context, sink); },
           .is_of_shards = Builder::kIsOfShards}});
  recipe.steps.push_back(
      {.section_type = file::kFilterGroupsSection,
       .form = index::StepWritten{[builder, names](const index::BeginSection& begin) {
         begin(file::kFilterGroupsSection, 0).append(builder->groups());
       }}});
}

}  // namespace

std::span<const std::string_view> filter_set_types() noexcept {
  return kTypes;
}
std::span<const std::string_view> filter_set_layouts() noexcept {
  return kLayouts;
}

namespace index {

std::uint64_t names_bytes(const MemoryBudget& budget) {
  return budget.stream_bytes() / 4;
}

std::string digest_of_groups(const KeyInput& input) {
  if (input.groups.empty()) return {};
  base::FieldWriter all;
  for (const std::string& name : input.groups) all.u64(name.size()).bytes(base::as_bytes(name));
  return file::to_hex(file::content_hash(all.view()));
}

FilterOptions filters_of(const FilterSetOptions& set) {
  if (std::ranges::find(kTypes, set.type) == kTypes.end())
    base::refuse_name("filter type", set.type, kTypes);
  check_choices(set, "filter sets");
  FilterOptions filters;
  filters.type = set.type;
  filters.fpr = set.fpr;
  (void)filter_set::Builder(filters, {});
  return filters;
}

Recipe plan(const FilterSetOptions& set, const FilterOptions& filters, std::uint64_t keys,
            const std::shared_ptr<const input::GroupNames>& names, const MemoryBudget& budget,
            const std::string& source) {
  check_largest(*names, source, budget, largest_key_bytes(set, filters));
  Recipe recipe;
  recipe.header.kind = file::Kind::filter_set;
  recipe.header.keys = keys;
  recipe.algorithm = set.type;
  recipe.metadata = metadata_of(set);
  if (set.no_tree) recipe.tree = file::HashTree::none;
  recipe.memory = memory_of_set();
  if (set.layout == FilterSetLayout::blocks) {
    add_steps<filter_set::BlockBuilder>(recipe, filters, names);
  } else {
    add_steps<filter_set::Builder>(recipe, filters, names);
  }
  return recipe;
}

BuildSummary build_filter_set(const KeyInput& input, const Output& output,
                              const FilterSetOptions& set, const BuildOptions& options,
                              const hashing::HashFamily& hash) {
  const FilterOptions filters = filters_of(set);
  BuildFrame frame(options, hash);
  BuiltFile file(frame.outputs().file(output, input), output.name());
  const input::Grouping grouping = input::grouping_of(input);
  KeyInput keys_in_groups = input;
  keys_in_groups.format = input::grouped_format(input.format, grouping);
  std::shared_ptr<input::GroupNames> names;
  FileBuild build{.choices = every_choice(chosen(set)),
                  .units = grouping.is_of_pairs() ? Units::values : Units::keys,
                  .memory = memory_of_set(),
                  .phases = {{"filters", 120}},
                  .read =
                      [&](const KeyInput& keys, input::HashOptions hashing,
                          const base::BuildContext& context, const input::UseKeys& use) {
                        const MemoryBudget& budget = frame.memory().budget();
                        names = std::make_shared<input::GroupNames>(names_bytes(budget));
                        hashing.memory_bytes -= std::min(hashing.memory_bytes, names_bytes(budget));
                        input::hash_keys_by_group(keys, hashing, *names, context, use);
                      },
                  .plan =
                      [&](const input::KeySet& keys, const base::BuildContext&) {
                        return plan(set, filters, keys.keys.size(), names, frame.memory().budget(),
                                    input::input_name(input, 0));
                      }};
  build.header.kind = file::Kind::filter_set;
  build.header.key_hash = built_hash(hashing::KeyHashId::xxh3, options);
  build.choices["groups"] = digest_of_groups(input);
  return build_file(frame, keys_in_groups, file, build, options);
}

std::uint64_t check_filter_set(const file::Container& container, const KeyInput& input,
                               const CheckOptions&, const base::BuildContext& context) {
  const auto links = exact::links_of(container, file::Kind::filter_set);
  const filter_set::FilterSetLayers set(container, links);
  const hashing::SeededHash hash(hash_family(container.header().key_hash, input),
                                 container.header().seed);
  std::atomic<std::uint64_t> given{0};
  std::atomic<bool> is_wrong{false};
  context.progress.begin("check keys", input::regular_input_bytes(input).value_or(0),
                         Progress::Unit::bytes);
  try {
    input::for_each_grouped_text(
        input, input::grouping_of(input), context, [&](unsigned, const input::GroupedText& text) {
          given.fetch_add(1, std::memory_order_relaxed);
          const auto group = set.find(text.group);
          if (group && set.contains(*group, hash(text.key))) return;
          is_wrong = true;
          throw input::InputFault(text.place, group ? "the key is not in its group"
                                                    : "the key's group is not in the filter set");
        });
  } catch (const Error& error) {
    if (!is_wrong) throw;
    throw Error(ErrorKind::mismatch, container.name() + ": " + error.what());
  }
  return given;
}

}  // namespace index

BuildSummary build_filter_set(const KeyInput& input, const Output& output,
                              const FilterSetOptions& set, const BuildOptions& options) try {
  return index::build_filter_set(
      input, output, set, options,
      index::hash_family(index::built_hash(hashing::KeyHashId::xxh3, options), input));
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate_filter_set(const KeyInput& input, const FilterSetOptions& set,
                                  const BuildOptions& options) try {
  constexpr double kBuildSeconds = 130e-9;  // of a key
  constexpr double kFrameBytes = 1100;
  const base::WorkClock clock;
  const FilterOptions filters = index::filters_of(set);
  index::check_input(input, file::Kind::filter_set);
  const auto hash = index::hash_family(index::built_hash(hashing::KeyHashId::xxh3, options), input);
  index::BuildFrame frame(options, hash);
  const index::MemoryBudget& budget = frame.memory().budget();
  input::GroupNames names(index::names_bytes(budget));
  const hashing::SeededHash name_hash(hash, options.seed);
  input::for_each_grouped_text(input, input::grouping_of(input), frame.context(),
                               [&](unsigned, const input::GroupedText& text) {
                                 names.add(name_hash(text.group).hi, text.group, 1);
                               });
  names.add_given(input, name_hash);
  BuildEstimate estimate;
  double bytes = kFrameBytes;
  std::vector<std::uint64_t> sizes;
  for (const auto& [_, group] : names.groups()) {
    estimate.keys += group.keys;
    const auto name_bytes = static_cast<double>(group.name.size());
    if (set.layout == FilterSetLayout::blocks) {
      sizes.push_back(group.keys);
      bytes += name_bytes + 1;
    } else {
      bytes += filter_set::bytes_of_group(filters, static_cast<double>(group.keys), name_bytes);
    }
  }
  if (!sizes.empty())
    bytes += static_cast<double>(filter_set::bytes_in_blocks(filters, std::move(sizes)));
  const index::MemoryNeed need = memory_of_set();
  const unsigned threads = frame.memory().threads();
  estimate.output_bytes = static_cast<std::uint64_t>(bytes);
  estimate.memory_bytes = need.peak(estimate.keys, threads, budget) + names.memory_bytes();
  estimate.minimum_memory_bytes = need.least(estimate.keys) + 4 * names.memory_bytes();
  estimate.temp_bytes = need.spilled(estimate.keys, budget);
  estimate.partitions = std::uint64_t{1} << stream::partition_bits_for(estimate.keys);
  estimate.seconds =
      index::rounded_seconds(clock.undisturbed_seconds(threads) +
                             kBuildSeconds * static_cast<double>(estimate.keys) / threads +
                             2 * index::measure_disk(frame.temp_dir()).sync_seconds);
  estimate.warning = index::memory_problem(estimate.keys, need, budget, "a build");
  return estimate;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
