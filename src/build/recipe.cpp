// SPDX-License-Identifier: Apache-2.0
#include "build/recipe.hpp"

#include <algorithm>
#include <utility>

#include "base/refuse_option.hpp"
#include "build/choices.hpp"
#include "build/chosen.hpp"
#include "build/dictionary_memory.hpp"
#include "build/hashed_ids.hpp"
#include "build/store_output.hpp"
#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/kinds.hpp"
#include "lookup/map_file.hpp"
#include "lookup/rank_index.hpp"
#include "structures/build/filter.hpp"
#include "structures/build/mphf.hpp"
#include "structures/build/static_function.hpp"
#include "structures/exact/build/classes.hpp"

namespace crivo::index {
namespace {

/// What every recipe has of the options of its kind, of which `name` says the structure.
template <typename Options>
Recipe recipe_over(std::uint64_t keys, file::Kind kind, const std::string& name,
                   const Options& options, const MemoryNeed& memory) {
  Recipe recipe;
  recipe.header.kind = kind;
  recipe.header.keys = keys;
  recipe.algorithm = name;
  recipe.metadata = metadata_of(options);
  if (options.no_tree) recipe.tree = file::HashTree::none;
  recipe.memory = memory;
  return recipe;
}

/// Adds the function, the first step, and its signatures.
void add_function(Recipe& recipe, const mphf::Builder& algorithm,
                  const mphf::BuildChoices& choices) {
  Step step{algorithm.section_type};
  if (algorithm.plan != nullptr) {
    auto function = algorithm.plan(recipe.header.keys, choices);
    recipe.function = function.get();
    step.phase = "mphf";
    step.form = StepInParts{.assembly = std::move(function)};
  } else {
    step.form = StepOfAll{[build = algorithm.build_whole, choices](
                              const stream::HashSource& keys, const base::BuildContext& context,
                              base::Sink& sink) { build(keys, choices, context, sink); }};
  }
  recipe.ranked = &algorithm;
  recipe.steps.push_back(std::move(step));
  if (const unsigned bits = choices.contents.signature_bits; bits != 0)
    recipe.steps.push_back({file::kSignatureSection, "signatures", 0, StepOfSignatures{bits}});
}

/// The dissertation's own range for each of its hashes, unless another is asked for.
classic::Range chosen_range(const MphfOptions& mphf) {
  if (mphf.unbiased) return classic::Range::unbiased;
  return hashing::find_key_hash(mphf.hash) == hashing::KeyHashId::jenkins ? classic::Range::mask_xor
                                                                          : classic::Range::modulo;
}

}  // namespace

std::span<const Step> Recipe::in_parts() const noexcept {
  const auto end =
      std::ranges::find_if(steps, [](const Step& step) { return step.assembly() == nullptr; });
  return {steps.begin(), end};
}

Recipe plan(const MphfOptions& mphf, KeyTotals totals) {
  const mphf::Builder& algorithm = find_algorithm(mphf);
  Recipe recipe =
      recipe_over(totals.keys, file::Kind::mphf, mphf.algorithm, mphf, mphf_memory(mphf));
  add_function(recipe, algorithm,
               {.effort = mphf.effort,
                .range = chosen_range(mphf),
                .ranks = std::move(totals.ranks),
                .contents = {mphf.signature_bits}});
  return recipe;
}

// The totals by value, as of every kind.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Recipe plan(const FilterOptions& filter, KeyTotals totals) {
  const filter::Builder& type = filter::find_type(filter);
  Recipe recipe =
      recipe_over(totals.keys, file::Kind::filter, filter.type, filter, filter_memory(filter));
  recipe.header.key_hash = type.type().key_hash;
  Step step{type.type().section_type};
  if (type.plan != nullptr) {
    step.phase = "filter";
    step.form = StepInParts{.assembly = type.plan(totals.keys, filter)};
  } else {
    step.form = StepOfAll{[build = type.build_whole, filter](
                              const stream::HashSource& keys, const base::BuildContext& context,
                              base::Sink& sink) { build(keys, filter, context, sink); }};
  }
  recipe.steps.push_back(std::move(step));
  return recipe;
}

unsigned width_of_values(const MapOptions& map, unsigned value_bits) noexcept {
  return map.value_bits != 0 ? map.value_bits : std::max(value_bits, 1U);
}

Recipe plan(const MapOptions& map, KeyTotals totals) {
  const map::Builder& algorithm = map::find_algorithm(map);
  if (algorithm.compresses && !totals.counts) {
    throw Error(ErrorKind::usage,
                "line numbers all differ and cannot be compressed; shards of a compressed map need "
                "keys with values",
                {.remedy = "values"});
  }
  if (map.value_bits != 0 && totals.value_bits > map.value_bits) {
    throw Error(ErrorKind::usage,
                "the largest value has " + std::to_string(totals.value_bits) +
                    " bits, and values may have " + std::to_string(map.value_bits),
                {.remedy = "value_bits"});
  }
  const unsigned width = width_of_values(map, totals.value_bits);
  Recipe recipe =
      recipe_over(totals.keys, file::Kind::map, map.algorithm, map, map_memory(map, width, false));
  recipe.value_width = width;
  set_value_form(map.form, recipe.header);
  if (algorithm.compresses) recipe.counts = std::move(totals.counts);
  const csf::Histogram* const counts = recipe.counts ? &*recipe.counts : nullptr;
  Step step{algorithm.section_type, "map"};
  if (algorithm.plan != nullptr) {
    step.form =
        StepInParts{.assembly = algorithm.plan(totals.keys, {width, map.arity, counts}, nullptr)};
  } else {
    step.form = StepOfAll{
        [build = algorithm.build_whole, width, arity = map.arity](
            const stream::HashSource& keys, const base::BuildContext& context, base::Sink& sink) {
          build(keys, {width, arity}, nullptr, context, sink);
        }};
  }
  recipe.steps.push_back(std::move(step));
  if (map.signature_bits != 0) {
    recipe.steps.push_back(
        {file::kRibbonSection, "filter", 0,
         StepInParts{.assembly = map::plan_signatures(totals.keys, map.signature_bits)}});
  }
  return recipe;
}

Recipe plan(const StoreOptions& store, KeyTotals totals) {
  const StorePlan whole(store);
  if (store.ordered)
    base::refuse_option("ordered", "is not for shards; build the ordered store on one machine");
  Recipe recipe =
      recipe_over(totals.keys, file::Kind::store, store.algorithm, store, store_memory(store));
  add_function(recipe, whole.algorithm,
               {.contents = {whole.signature_bits, true, totals.cell_bits}});
  recipe.store = store;
  return recipe;
}

Recipe plan_in_order(const StoreOptions& store, std::uint64_t keys) {
  Recipe recipe = recipe_over(keys, file::Kind::store, "dictionary", store, store_memory(store));
  recipe.store = store;
  return recipe;
}

Recipe plan(const ExactOptions& exact, std::uint64_t members,
            const std::shared_ptr<exact::Builder>& builder) {
  Recipe recipe =
      recipe_over(members, file::Kind::exact, exact.algorithm, exact, exact_memory(exact));
  for (unsigned tag = 1; tag <= 2 * exact::kMostWidth; ++tag) {
    recipe.steps.push_back(
        {.section_type = file::kRibbonSection,
         .phase = "build",
         .tag = tag,
         .form = StepInParts{
             .choose = [builder, tag] { return builder->filter(tag); },
             .answer = [builder,
                        tag](base::ByteView filter) { builder->use_filter(tag, filter); }}});
  }
  recipe.steps.push_back({.section_type = file::kRibbonFunctionSection,
                          .phase = "build",
                          .form = StepInParts{.choose = [builder] { return builder->bit(); }}});
  recipe.steps.push_back({.section_type = file::kGroupSection,
                          .form = StepWritten{[builder](const BeginSection& begin) {
                            begin(file::kGroupSection, 0).append(builder->groups());
                          }}});
  return recipe;
}

Recipe plan(const DictionaryOptions& dictionary,
            const std::shared_ptr<dictionary::Builder>& builder, const hashing::SeededHash& hash,
            const base::BuildContext& context) {
  Recipe recipe =
      recipe_over(builder->keys(), file::Kind::dictionary, "blocks", dictionary, dictionary_need());
  if (dictionary.values) set_value_form(dictionary.form, recipe.header);
  recipe.steps.push_back(
      {.form = StepWritten{[builder, &progress = context.progress](const BeginSection& begin) {
         progress.begin("build", builder->keys());
         builder->finish([&](dictionary::Builder::Part part) -> base::Sink& {
           return begin(dictionary::section_of(part), 0);
         });
       }}});
  if (dictionary.hashed) {
    add_hashed_ids(recipe.steps, std::make_shared<HashedIdsBuild>(
                                     builder, hash, dictionary.hashed_signature_bits, context));
  }
  return recipe;
}

}  // namespace crivo::index
