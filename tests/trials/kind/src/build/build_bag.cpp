// SPDX-License-Identifier: Apache-2.0
#include "base/as_error.hpp"
#include "build/build_file.hpp"
#include "build/builds.hpp"
#include "build/built_hash.hpp"
#include "build/choices.hpp"
#include "crivo/bag.hpp"
#include "file/section_types.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/key_hash.hpp"
#include "structures/ribbon/build/builder.hpp"
#include "structures/ribbon/table.hpp"

namespace crivo {
namespace {

FilterOptions as_filter(const BagOptions& bag) {
  FilterOptions filter;
  filter.bits = bag.bits;
  return filter;
}

}  // namespace

BuildSummary build_bag(const KeyInput& input, const Output& output, const BagOptions& bag,
                       const BuildOptions& options) try {
  const FilterOptions filter = as_filter(bag);
  index::FileBuild build{
      .choices = index::every_choice(index::chosen(bag)),
      .memory = index::filter_memory(filter),
      .phases = index::filter_phases(filter),
      .read = [](const KeyInput& keys, const input::HashOptions& hashing,
                 const base::BuildContext& context,
                 const input::UseKeys& use) { input::hash_keys(keys, hashing, context, use); },
      .plan =
          [&](const input::KeySet& set, const base::BuildContext&) {
            index::Recipe recipe;
            recipe.header.kind = file::Kind::bag;
            recipe.header.keys = set.keys.size();
            recipe.algorithm = "bag";
            recipe.metadata = index::metadata_of(bag);
            recipe.memory = index::filter_memory(filter);
            index::Step step{file::kBagSection, "filter"};
            step.form =
                index::StepInParts{.assembly = filter::plan_ribbon(set.keys.size(), filter)};
            recipe.steps.push_back(std::move(step));
            return recipe;
          }};
  build.header.kind = file::Kind::bag;
  build.header.key_hash = index::built_hash(hashing::KeyHashId::xxh3, options);
  return index::build_file(input, output, build, options,
                           hashing::hash_family(build.header.key_hash));
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate_bag(const KeyInput& input, const BagOptions& bag,
                           const BuildOptions& options) {
  return estimate_filter(input, as_filter(bag), options);
}

}  // namespace crivo
