// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/named_rows.hpp"
#include "base/read_only.hpp"
#include "file/section_types.hpp"
#include "structures/bloom/algebra.hpp"
#include "structures/bloom/bloom.hpp"
#include "structures/cuckoo/cuckoo.hpp"
#include "structures/filter.hpp"
#include "structures/fuse/filter.hpp"
#include "structures/hash_compaction/hash_compaction.hpp"
#include "structures/range/range.hpp"
#include "structures/ribbon/filter.hpp"
#include "structures/split_block/split_block.hpp"

namespace crivo::filter {
namespace {

using base::for_builds;

constexpr std::array kTypes{
    Type{.name = "ribbon",
         .section_type = file::kRibbonSection,
         .cost = {.phases = {{{"filter", 80}}}, .thread_bytes = 12e6},
         .variants = {{{67, 92}}},
         .forecast = for_builds(forecast_ribbon),
         .plan = for_builds(plan_ribbon),
         .open = open_ribbon},
    Type{.name = "fuse",
         .section_type = file::kFuseSection,
         .cost = {.phases = {{{"filter", 45}}}, .thread_bytes = 31e6},
         .variants = {{{65, 47}, {63, 46, 3}}},
         .forecast = for_builds(forecast_fuse),
         .plan = for_builds(plan_fuse),
         .open = open_fuse},
    Type{.name = "split-block-bloom",
         .section_type = file::kSplitBlockSection,
         .key_hash = hashing::KeyHashId::xxh64,
         .cost = {.phases = {{{"filter", 12}}}, .thread_bytes = 3.5e6},
         .variants = {{{25, 9}}},
         .forecast = for_builds(forecast_split_block),
         .plan = for_builds(plan_split_block),
         .open = open_split_block},
    Type{.name = "bloom",
         .section_type = file::kBloomSection,
         .can = kAdds | kUnites,
         .cost = {.phases = {{{"filter", 28}}}, .thread_bytes = 6e6},
         .variants = {{{64, 72}}},
         .forecast = for_builds(forecast_bloom),
         .plan = for_builds(plan_bloom),
         .open = open_bloom,
         .edit = for_builds(edit_bloom),
         .combine = for_builds(combine_bloom)},
    Type{.name = "counting-bloom",
         .section_type = file::kCountingBloomSection,
         .can = kAdds | kRemoves | kCounts,
         .cost = {.phases = {{{"filter", 40}}}, .thread_bytes = 8.5e6},
         .variants = {{{140, 153}}},
         .forecast = for_builds(forecast_counting_bloom),
         .plan = for_builds(plan_counting_bloom),
         .open = open_counting_bloom,
         .edit = for_builds(edit_counting_bloom)},
    Type{.name = "cuckoo",
         .section_type = file::kCuckooSection,
         .can = kAdds | kRemoves,
         .cost = {.phases = {{{"filter", 53}}}, .thread_bytes = 6.5e6},
         .variants = {{{56, 41}, {84, 51, 4, true}}},
         .forecast = for_builds(forecast_cuckoo),
         .plan = for_builds(plan_cuckoo),
         .open = open_cuckoo,
         .edit = for_builds(edit_cuckoo)},
    Type{.name = "hash-compaction",
         .section_type = file::kHashCompactionSection,
         .cost = {.phases = {{{"filter", 45, false}}}, .whole_set = true},
         .variants = {{{100, 31}}},
         .forecast = for_builds(forecast_hash_compaction),
         .build_whole = for_builds(build_hash_compaction),
         .open = open_hash_compaction},
    Type{.name = "range",
         .section_type = file::kRangeSection,
         .can = kRanges,
         .key_hash = hashing::KeyHashId::range,
         .cost = {.phases = {{{"filter", 20}}}, .thread_bytes = 9e6},
         .forecast = for_builds(forecast_range),
         .plan = for_builds(plan_range),
         .open = open_range},
};

constexpr auto kNames = base::names_of<kTypes>();

}  // namespace

std::span<const Type> types() noexcept {
  return kTypes;
}

std::span<const std::string_view> type_names() noexcept {
  return kNames;
}

}  // namespace crivo::filter
