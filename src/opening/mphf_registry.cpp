// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/named_rows.hpp"
#include "base/read_only.hpp"
#include "file/section_types.hpp"
#include "structures/classic/bdz.hpp"
#include "structures/classic/bmz.hpp"
#include "structures/classic/fch.hpp"
#include "structures/classic/mwhc.hpp"
#include "structures/consensus/consensus.hpp"
#include "structures/mphf.hpp"
#include "structures/phast/phast.hpp"

namespace crivo::mphf {
namespace {

using base::for_builds;

std::unique_ptr<FunctionAssembly> plan_fast(std::uint64_t n, const BuildChoices& choices) {
  return phast::plan_phast(phast::fast_parameters(n), n, choices.contents);
}

std::unique_ptr<FunctionAssembly> plan_compact(std::uint64_t n, const BuildChoices& choices) {
  return phast::plan_phast(phast::kCompact[choices.effort], n, choices.contents);
}

std::unique_ptr<FunctionAssembly> plan_tiny(std::uint64_t n, const BuildChoices& choices) {
  return consensus::plan(consensus::kEfforts[choices.effort], n, choices.contents);
}

/// Of a graph function: two phases on one thread, over the whole set.
constexpr BuildCost whole_set_cost(double mapping_ns, double search_ns, double held_bytes) {
  return {.phases = {{{"mapping", mapping_ns, false}, {"search", search_ns, false}}},
          .held_bytes = held_bytes,
          .thread_bytes = 2e6,
          .whole_set = true};
}

// Bits a key are measured, of 10^6 keys: FCH takes 3.5 * 32 / (log2 n + 1).
constexpr std::array kAlgorithms{
    Algorithm{.name = "fast",
              .section_type = file::kPhastSection,
              .bits_per_key = {1.86},
              .cost = {.phases = {{{"mphf", 38}}}, .thread_bytes = 5e6, .whole_part_bytes = 14e6},
              .plan = for_builds(plan_fast),
              .open = phast::open_phast},
    Algorithm{.name = "compact",
              .section_type = file::kPhastSection,
              .max_effort = phast::kCompact.size() - 1,
              .bits_per_key = {1.78, 1.765, 1.758},
              .cost = {.phases = {{{"mphf", 50}}},
                       .efforts = {1, 1.5, 2.3},
                       .thread_bytes = 5e6,
                       .whole_part_bytes = 11e6},
              .plan = for_builds(plan_compact),
              .open = phast::open_phast},
    Algorithm{
        .name = "tiny",
        .section_type = file::kConsensusSection,
        .max_effort = consensus::kEfforts.size() - 1,
        .bits_per_key = {1.476, 1.468, 1.46},
        .cost = {.phases = {{{"mphf", 165}}}, .efforts = {1, 1.45, 6.6}, .thread_bytes = 10e6},
        .plan = for_builds(plan_tiny),
        .open = consensus::open},
    Algorithm{.name = "mwhc2",
              .section_type = file::kMwhcSection,
              .of_seeds = true,
              .preserves_order = true,
              .bits_per_key = {67},
              .cost = whole_set_cost(780, 120, 57),
              .build_whole = for_builds(classic::build_mwhc2),
              .open = classic::open_mwhc},
    Algorithm{.name = "mwhc3",
              .section_type = file::kMwhcSection,
              .of_seeds = true,
              .preserves_order = true,
              .bits_per_key = {39.5},
              .cost = whole_set_cost(600, 105, 54),
              .build_whole = for_builds(classic::build_mwhc3),
              .open = classic::open_mwhc},
    Algorithm{.name = "fch",
              .section_type = file::kFchSection,
              .of_seeds = true,
              .bits_per_key = {5.4},
              .cost = whole_set_cost(30, 450, 30),
              .build_whole = for_builds(classic::build_fch),
              .open = classic::open_fch},
    Algorithm{.name = "bmz",
              .section_type = file::kBmzSection,
              .of_seeds = true,
              .bits_per_key = {37},
              .cost = whole_set_cost(350, 510, 53),
              .build_whole = for_builds(classic::build_bmz),
              .open = classic::open_bmz},
    Algorithm{.name = "bdz",
              .section_type = file::kBdzSection,
              .of_seeds = true,
              .bits_per_key = {2.7},
              .cost = whole_set_cost(630, 105, 33),
              .build_whole = for_builds(classic::build_bdz),
              .open = classic::open_bdz},
};

constexpr auto kNames = base::names_of<kAlgorithms>();

}  // namespace

std::span<const Algorithm> algorithms() noexcept {
  return kAlgorithms;
}

std::span<const std::string_view> algorithm_names() noexcept {
  return kNames;
}

}  // namespace crivo::mphf
