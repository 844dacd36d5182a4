// SPDX-License-Identifier: Apache-2.0
#include "shards/part_plan.hpp"

#include <algorithm>
#include <utility>

#include "builds/store_output.hpp"
#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "opening/choices.hpp"
#include "opening/filter_file.hpp"
#include "opening/index_kind.hpp"
#include "opening/kinds.hpp"
#include "opening/map_file.hpp"
#include "opening/rank_index.hpp"
#include "structures/ribbon/filter.hpp"

namespace crivo::index {
namespace {

[[noreturn]] void refuse_whole(const std::string& name) {
  throw Error(ErrorKind::usage,
              name + " needs the whole set of keys at once and cannot be built in shards");
}

/// What every plan has of the options of its kind, of which `name` says the structure.
template <typename Options>
PartPlan plan_over(std::uint64_t n, file::Kind kind, const std::string& name,
                   const Options& options, MemoryNeed memory) {
  PartPlan plan;
  plan.header.kind = kind;
  plan.header.keys = n;
  plan.algorithm = name;
  plan.metadata = metadata_of(options);
  plan.memory = memory;
  return plan;
}

/// Adds the function, the first section.
void add_function(PartPlan& plan, const mphf::Algorithm& algorithm,
                  const mphf::BuildChoices& choices) {
  plan.signature_bits = choices.contents.signature_bits;
  auto function = algorithm.plan(plan.header.keys, choices);
  plan.function = function.get();
  plan.sections.push_back({algorithm.section_type, std::move(function)});
}

}  // namespace

PartPlan plan_of(const MphfOptions& mphf, std::uint64_t n) {
  const mphf::Algorithm& algorithm = find_algorithm(mphf);
  if (algorithm.plan == nullptr) refuse_whole(mphf.algorithm);
  PartPlan plan = plan_over(n, file::Kind::mphf, mphf.algorithm, mphf, mphf_memory(mphf));
  add_function(plan, algorithm, {.effort = mphf.effort, .contents = {mphf.signature_bits}});
  return plan;
}

PartPlan plan_of(const FilterOptions& filter, std::uint64_t n) {
  const filter::Type& type = filter::find_type(filter);
  if (type.assemble == nullptr) refuse_whole(filter.type);
  PartPlan plan = plan_over(n, file::Kind::filter, filter.type, filter, filter_memory(filter));
  plan.header.key_hash = type.key_hash;
  plan.sections.push_back({type.section_type, type.assemble(n, filter)});
  return plan;
}

PartPlan plan_of(const MapOptions& map, std::uint64_t n, unsigned value_bits,
                 const std::optional<csf::Histogram>& counts) {
  const map::Algorithm& algorithm = map::find_algorithm(map);
  if (algorithm.plan == nullptr) refuse_whole(map.algorithm);
  if (algorithm.compresses && !counts) {
    throw Error(ErrorKind::usage,
                "line numbers all differ and cannot be compressed; shards of a compressed map need "
                "keys with values",
                {.remedy = "values"});
  }
  if (map.value_bits != 0 && value_bits > map.value_bits) {
    throw Error(ErrorKind::usage,
                "the largest value has " + std::to_string(value_bits) +
                    " bits, and values may have " + std::to_string(map.value_bits),
                {.remedy = "value_bits"});
  }
  const unsigned value_width = map.value_bits != 0 ? map.value_bits : std::max(value_bits, 1U);
  PartPlan plan =
      plan_over(n, file::Kind::map, map.algorithm, map, map_memory(map, value_width, false));
  plan.value_width = value_width;
  set_value_form(map.form, plan.header);
  if (algorithm.compresses) plan.counts = counts;
  plan.sections.push_back(
      {algorithm.section_type,
       algorithm.plan(n, {plan.value_width, map.arity, counts ? &*counts : nullptr}, nullptr)});
  if (map.signature_bits != 0) {
    FilterOptions signatures;
    signatures.bits = map.signature_bits;
    plan.sections.push_back({file::kRibbonSection, filter::assemble_ribbon(n, signatures)});
  }
  return plan;
}

PartPlan plan_of(const StoreOptions& store, std::uint64_t n, unsigned cell_bits) {
  const StorePlan whole(store);
  if (whole.algorithm.plan == nullptr) refuse_whole(store.algorithm);
  PartPlan plan = plan_over(n, file::Kind::store, store.algorithm, store, store_memory(store));
  add_function(plan, whole.algorithm, {.contents = {whole.signature_bits, true, cell_bits}});
  plan.store = store;
  return plan;
}

PartPlan plan_of_metadata(file::Kind kind, const file::Metadata& metadata, std::uint64_t n,
                          unsigned value_width, const std::optional<csf::Histogram>& counts) {
  const IndexKind* const row = find_index_kind(kind);
  try {
    if (row != nullptr && row->plan_parts != nullptr) {
      PartPlan plan = row->plan_parts(recorded_choices(metadata), {n, value_width, counts});
      if (plan.metadata == metadata) return plan;
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
  }
  throw Error(ErrorKind::corrupt, "damaged: a part of choices that no build has");
}

}  // namespace crivo::index
