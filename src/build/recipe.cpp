// SPDX-License-Identifier: Apache-2.0
#include "build/recipe.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "base/refuse_option.hpp"
#include "build/choices.hpp"
#include "build/chosen.hpp"
#include "build/dictionary_memory.hpp"
#include "build/store_output.hpp"
#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "input/hash_keys.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/kinds.hpp"
#include "lookup/map_file.hpp"
#include "lookup/rank_index.hpp"
#include "stream/key_spread.hpp"
#include "stream/streamed_keys.hpp"
#include "structures/build/filter.hpp"
#include "structures/build/mphf.hpp"
#include "structures/build/static_function.hpp"
#include "structures/dictionary/build/builder.hpp"
#include "structures/dictionary/build/hashed_ids_builder.hpp"
#include "structures/exact/build/classes.hpp"
#include "structures/mphf.hpp"
#include "structures/phast/shape.hpp"

namespace crivo::index {

/// Hashes the keys once they are written, so that what sorted them has left the memory: a key then
/// takes 24 bytes, 16 more when its rank is known, each within the scratch. Bytes depend on the
/// keys and their hash alone.
class HashedIdsBuild {
 public:
  /// `hash` and what the context refers to outlive this.
  HashedIdsBuild(std::shared_ptr<const dictionary::Builder> builder,
                 const hashing::SeededHash& hash, unsigned signature_bits,
                 const base::BuildContext& context);

  /// The hashes, with ids as values, and the MPHF as it is planned over them. Throws
  /// Error(bad_input) where two keys have one hash, or hashes lie closer than by chance; Error(io).
  exact::SectionKeys hash_keys();
  /// Opens the MPHF, whose bytes stay where they are.
  void use_function(base::ByteView section);
  /// Writes the ids by its ranks.
  void write_ids(base::Sink& to);

 private:
  using HashedKeys = stream::GatheredKeys<stream::HashedValue>;

  std::shared_ptr<const dictionary::Builder> builder_;
  const hashing::SeededHash& hash_;
  unsigned signature_bits_;
  base::BuildContext context_;
  std::unique_ptr<HashedKeys> gathered_;
  std::unique_ptr<const mphf::Function> function_;
};

/// Adds the steps that write both sections, behind the one that writes the keys.
void add_hashed_ids(std::vector<Step>& steps, const std::shared_ptr<HashedIdsBuild>& build);

using stream::HashedValue;

HashedIdsBuild::HashedIdsBuild(std::shared_ptr<const dictionary::Builder> builder,
                               const hashing::SeededHash& hash, unsigned signature_bits,
                               const base::BuildContext& context)
    : builder_(std::move(builder)),
      hash_(hash),
      signature_bits_(signature_bits),
      context_(context) {}

exact::SectionKeys HashedIdsBuild::hash_keys() {
  const std::uint64_t n = builder_->keys();
  context_.progress.begin("hash", n);
  gathered_ = std::make_unique<HashedKeys>(n, context_.scratch);
  base::parallel_ordered(
      context_.threads, builder_->batches(),
      [&](std::uint64_t batch) {
        std::vector<HashedValue> hashed;
        std::uint64_t id = builder_->first_id(batch);
        builder_->for_each_key(batch, [&](std::string_view key) {
          hashed.push_back({hash_(key), id++});
        });
        return hashed;
      },
      [&](std::uint64_t, const std::vector<HashedValue>& hashed) {
        for (const HashedValue& key : hashed) gathered_->writer(0).add(key);
        context_.progress.add(hashed.size());
      });
  stream::StreamedKeys<HashedValue>& keys = gathered_->finish();
  try {
    keys.expect_spread(n);
    if (!keys.drop_repeats(context_).empty()) mphf::fail_equal_hashes();
  } catch (const stream::UnevenHashes&) {
    stream::fail_uneven("the dictionary", hash_.is_hash_key());
  }
  // The keys are let go with `gathered_`, behind the last step.
  return {{std::shared_ptr<const void>(), &keys}, find_algorithm("fast").plan(n, {})};
}

void HashedIdsBuild::use_function(base::ByteView section) {
  function_ = phast::open_phast(section);
}

void HashedIdsBuild::write_ids(base::Sink& to) {
  const std::uint64_t n = builder_->keys();
  dictionary::HashedIdsBuilder writer(n, signature_bits_, context_.scratch);
  std::mutex mutex;  // of the writer
  context_.progress.begin("ids", 2 * n);
  gathered_->keys().for_each({}, context_, [&](const stream::KeySlice& keys) {
    std::vector<std::uint64_t> ranks(keys.size());
    function_->ranks(keys.hashes, ranks.data());
    const std::scoped_lock lock(mutex);
    for (std::size_t i = 0; i < ranks.size(); ++i)
      writer.add(ranks[i], keys.hashes[i], keys.values[i]);
    context_.progress.add(ranks.size());
  });
  gathered_.reset();
  writer.finish(context_, to);
}

void add_hashed_ids(std::vector<Step>& steps, const std::shared_ptr<HashedIdsBuild>& build) {
  steps.push_back(
      {.section_type = file::kPhastSection,
       .phase = "mphf",
       .form = StepInParts{
           .choose = [build] { return build->hash_keys(); },
           .answer = [build](base::ByteView section) { build->use_function(section); }}});
  steps.push_back({.form = StepWritten{[build](const BeginSection& begin) {
                     build->write_ids(begin(file::kHashedIdsSection, 0));
                   }}});
}

namespace {

/// Returns a recipe with what every kind takes from its options, `name` being the structure.
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
  if (is_ordered(store))
    base::refuse_option(store.ordered ? "ordered" : "goal",
                        "is not for shards where records are in the order of their keys; build "
                        "the store on one machine");
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

std::optional<Recipe> plan_of_kind(file::Kind kind, const Choices& choices, KeyTotals totals) {
  switch (kind) {
    case file::Kind::mphf:
      return plan(options_of<MphfOptions>(choices), std::move(totals));
    case file::Kind::filter:
      return plan(options_of<FilterOptions>(choices), std::move(totals));
    case file::Kind::map:
      return plan(options_of<MapOptions>(choices), std::move(totals));
    case file::Kind::store:
      return plan(options_of<StoreOptions>(choices), std::move(totals));
    case file::Kind::rows:
      return plan(options_of<RowsOptions>(choices), std::move(totals));
    default:
      return std::nullopt;
  }
}

}  // namespace crivo::index
