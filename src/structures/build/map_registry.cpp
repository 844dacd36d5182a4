// SPDX-License-Identifier: Apache-2.0
/// The algorithms of static functions, as a build sees them: a row for each of
/// structures/map_registry.cpp.
#include <array>
#include <utility>

#include "base/named_rows.hpp"
#include "file/section_types.hpp"
#include "structures/build/static_function.hpp"
#include "structures/classic/build/functions.hpp"
#include "structures/csf/build/builder.hpp"
#include "structures/fuse/build/builder.hpp"
#include "structures/ribbon/build/builder.hpp"

namespace crivo::map {
namespace {

using retrieval::ValueSource;

double ribbon_bits(std::uint64_t n, const Parameters& parameters) {
  return ribbon::bits_per_key(n, parameters.width);
}

std::unique_ptr<Assembly> plan_ribbon(std::uint64_t n, const Parameters& parameters,
                                      ValueSource values) {
  return ribbon::plan(n, parameters.width, std::move(values));
}

double fuse_bits(std::uint64_t n, const Parameters& parameters) {
  return fuse::bits_per_key(n, parameters.width, parameters.arity);
}

std::unique_ptr<Assembly> plan_fuse(std::uint64_t n, const Parameters& parameters,
                                    ValueSource values) {
  return fuse::plan(n, parameters.width, parameters.arity, std::move(values));
}

std::unique_ptr<Assembly> plan_coded(std::uint64_t /*n*/, const Parameters& parameters,
                                     ValueSource values) {
  return csf::plan(*parameters.counts, std::move(values));
}

double mwhc2_bits(std::uint64_t n, const Parameters& parameters) {
  return classic::mwhc_map_bits_per_key(2, n, parameters.width);
}

double mwhc3_bits(std::uint64_t n, const Parameters& parameters) {
  return classic::mwhc_map_bits_per_key(3, n, parameters.width);
}

/// Returns the cost of a graph over the whole set, and of the values of its vertices, on one
/// thread.
constexpr BuildCost graph_cost(double mapping_ns, double search_ns, double held_bytes) {
  return {.phases = {{{"mapping", mapping_ns, false}, {"search", search_ns, false}}},
          .held_bytes = held_bytes,
          .whole_set = true};
}

constexpr std::array kBuilders{
    Builder{.name = "ribbon",
            .section_type = file::kRibbonFunctionSection,
            .cost = {.phases = {{{"map", 85}}}, .thread_bytes = 14e6},
            .bits_per_key = ribbon_bits,
            .plan = plan_ribbon},
    Builder{.name = "fuse",
            .section_type = file::kFuseSection,
            .cost = {.phases = {{{"map", 50}}}, .thread_bytes = 38e6},
            .bits_per_key = fuse_bits,
            .plan = plan_fuse},
    Builder{.name = "mwhc2",
            .section_type = file::kMwhcMapSection,
            .cost = graph_cost(780, 135, 57),
            .bits_per_key = mwhc2_bits,
            .build_whole = classic::build_mwhc2_map},
    Builder{.name = "mwhc3",
            .section_type = file::kMwhcMapSection,
            .cost = graph_cost(600, 120, 54),
            .bits_per_key = mwhc3_bits,
            .build_whole = classic::build_mwhc3_map},
    Builder{.name = "ribbon",
            .section_type = file::kCodedSection,
            .compresses = true,
            .cost = {.phases = {{{"map", 105}}}, .thread_bytes = 36e6},
            .bits_per_key = ribbon_bits,
            .plan = plan_coded},
};

constexpr auto kBuilderNames =
    base::names_of<kBuilders, [](const Builder& builder) { return !builder.compresses; }>();

}  // namespace

std::span<const Builder> builders() noexcept {
  return kBuilders;
}

std::span<const std::string_view> algorithm_names() noexcept {
  return kBuilderNames;
}

}  // namespace crivo::map
