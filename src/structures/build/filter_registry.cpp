// SPDX-License-Identifier: Apache-2.0
/// The filter types, as a build sees them: a row for each of structures/filter_registry.cpp.
#include <array>

#include "base/named_rows.hpp"
#include "structures/bloom/build/bloom.hpp"
#include "structures/build/filter.hpp"
#include "structures/cuckoo/build/cuckoo.hpp"
#include "structures/fuse/build/builder.hpp"
#include "structures/hash_compaction/build/hash_compaction.hpp"
#include "structures/range/build/range.hpp"
#include "structures/ribbon/build/builder.hpp"
#include "structures/split_block/build/split_block.hpp"

namespace crivo::filter {
namespace {

constexpr std::array kBuilders{
    Builder{.name = "ribbon",
            .cost = {.phases = {{{"filter", 80}}}, .thread_bytes = 12e6},
            .variants = {{{67, 92}}},
            .forecast = forecast_ribbon,
            .plan = plan_ribbon},
    Builder{.name = "fuse",
            .cost = {.phases = {{{"filter", 45}}}, .thread_bytes = 31e6},
            .variants = {{{65, 47}, {63, 46, 3}}},
            .forecast = forecast_fuse,
            .plan = plan_fuse},
    Builder{.name = "split-block-bloom",
            .cost = {.phases = {{{"filter", 12}}}, .thread_bytes = 3.5e6},
            .variants = {{{25, 9}}},
            .forecast = forecast_split_block,
            .plan = plan_split_block,
            .unsorted = {split_block_bytes, fill_split_block}},
    Builder{.name = "bloom",
            .cost = {.phases = {{{"filter", 28}}}, .thread_bytes = 6e6},
            .variants = {{{64, 72}}},
            .forecast = forecast_bloom,
            .plan = plan_bloom,
            .edit = edit_bloom,
            .combine = combine_bloom,
            .unsorted = {bloom_bytes, fill_bloom}},
    Builder{.name = "counting-bloom",
            .cost = {.phases = {{{"filter", 40}}}, .thread_bytes = 8.5e6},
            .variants = {{{140, 153}}},
            .forecast = forecast_counting_bloom,
            .plan = plan_counting_bloom,
            .edit = edit_counting_bloom},
    Builder{.name = "cuckoo",
            .cost = {.phases = {{{"filter", 53}}}, .thread_bytes = 6.5e6},
            .variants = {{{56, 41}, {84, 51, 4, true}}},
            .forecast = forecast_cuckoo,
            .plan = plan_cuckoo,
            .edit = edit_cuckoo},
    Builder{.name = "hash-compaction",
            .cost = {.phases = {{{"filter", 45, false}}}, .whole_set = true},
            .variants = {{{100, 31}}},
            .forecast = forecast_hash_compaction,
            .build_whole = build_hash_compaction},
    Builder{.name = "range",
            .cost = {.phases = {{{"filter", 20}}}, .thread_bytes = 9e6},
            .forecast = forecast_range,
            .plan = plan_range},
};

constexpr auto kBuilderNames = base::names_of<kBuilders>();

}  // namespace

std::span<const Builder> builders() noexcept {
  return kBuilders;
}

std::span<const std::string_view> type_names() noexcept {
  return kBuilderNames;
}

}  // namespace crivo::filter
