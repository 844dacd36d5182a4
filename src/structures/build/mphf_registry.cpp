// SPDX-License-Identifier: Apache-2.0
/// The algorithms of minimal perfect hash functions, as a build sees them: a row for each of
/// structures/mphf_registry.cpp.
#include <array>

#include "base/named_rows.hpp"
#include "file/section_types.hpp"
#include "structures/build/mphf.hpp"
#include "structures/classic/build/fch.hpp"
#include "structures/classic/build/functions.hpp"
#include "structures/consensus/build/part.hpp"
#include "structures/phast/build/parameters.hpp"

namespace crivo::mphf {
namespace {

std::unique_ptr<FunctionAssembly> plan_fast(std::uint64_t n, const BuildChoices& choices) {
  return phast::plan_phast(phast::fast_parameters(n), n, choices.contents);
}

std::unique_ptr<FunctionAssembly> plan_compact(std::uint64_t n, const BuildChoices& choices) {
  return phast::plan_phast(phast::kCompact[choices.effort], n, choices.contents);
}

std::unique_ptr<FunctionAssembly> plan_tiny(std::uint64_t n, const BuildChoices& choices) {
  return consensus::plan(consensus::kEfforts[choices.effort], n, choices.contents);
}

/// The cost of a graph function: two phases on one thread, over the whole set.
constexpr BuildCost whole_set_cost(double mapping_ns, double search_ns, double held_bytes) {
  return {.phases = {{{"mapping", mapping_ns, false}, {"search", search_ns, false}}},
          .held_bytes = held_bytes,
          .thread_bytes = 2e6,
          .whole_set = true};
}

// Bits a key are measured, of 10^6 keys: FCH takes 3.5 * 32 / (log2 n + 1).
constexpr std::array kBuilders{
    Builder{.name = "fast",
            .section_type = file::kPhastSection,
            .bits_per_key = {1.86},
            .cost = {.phases = {{{"mphf", 38}}}, .thread_bytes = 5e6, .whole_part_bytes = 14e6},
            .plan = plan_fast},
    Builder{.name = "compact",
            .section_type = file::kPhastSection,
            .max_effort = phast::kCompact.size() - 1,
            .bits_per_key = {1.78, 1.765, 1.758},
            .cost = {.phases = {{{"mphf", 50}}},
                     .efforts = {1, 1.5, 2.3},
                     .thread_bytes = 5e6,
                     .whole_part_bytes = 11e6},
            .plan = plan_compact},
    Builder{.name = "tiny",
            .section_type = file::kConsensusSection,
            .max_effort = consensus::kEfforts.size() - 1,
            .bits_per_key = {1.476, 1.468, 1.46},
            .cost = {.phases = {{{"mphf", 165}}}, .efforts = {1, 1.45, 6.6}, .thread_bytes = 10e6},
            .plan = plan_tiny},
    Builder{.name = "mwhc2",
            .section_type = file::kMwhcSection,
            .preserves_order = true,
            .bits_per_key = {67},
            .cost = whole_set_cost(780, 120, 57),
            .build_whole = classic::build_mwhc2},
    Builder{.name = "mwhc3",
            .section_type = file::kMwhcSection,
            .preserves_order = true,
            .bits_per_key = {39.5},
            .cost = whole_set_cost(600, 105, 54),
            .build_whole = classic::build_mwhc3},
    Builder{.name = "fch",
            .section_type = file::kFchSection,
            .bits_per_key = {5.4},
            .cost = whole_set_cost(30, 450, 30),
            .build_whole = classic::build_fch},
    Builder{.name = "bmz",
            .section_type = file::kBmzSection,
            .bits_per_key = {37},
            .cost = whole_set_cost(350, 510, 53),
            .build_whole = classic::build_bmz},
    Builder{.name = "bdz",
            .section_type = file::kBdzSection,
            .bits_per_key = {2.7},
            .cost = whole_set_cost(630, 105, 33),
            .build_whole = classic::build_bdz},
};

constexpr auto kBuilderNames = base::names_of<kBuilders>();

}  // namespace

std::span<const Builder> builders() noexcept {
  return kBuilders;
}

std::span<const std::string_view> algorithm_names() noexcept {
  return kBuilderNames;
}

}  // namespace crivo::mphf
