// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "base/named_rows.hpp"
#include "base/read_only.hpp"
#include "file/section_types.hpp"
#include "structures/classic/mwhc_map.hpp"
#include "structures/csf/builder.hpp"
#include "structures/csf/function.hpp"
#include "structures/fuse/builder.hpp"
#include "structures/fuse/table.hpp"
#include "structures/ribbon/builder.hpp"
#include "structures/ribbon/table.hpp"
#include "structures/static_function.hpp"

namespace crivo::map {
namespace {

using base::for_builds;
using retrieval::ValueSource;

template <typename Table>
std::unique_ptr<const StaticFunction> open(base::ByteView section,
                                           const std::function<void()>& /*forget*/) {
  return std::make_unique<TableFunction<Table>>(Table(section));
}

std::unique_ptr<const StaticFunction> open_coded(base::ByteView section,
                                                 const std::function<void()>& forget) {
  return std::make_unique<TableFunction<csf::Function>>(csf::Function(section, forget));
}

std::unique_ptr<const StaticFunction> open_mwhc(base::ByteView section,
                                                const std::function<void()>& /*forget*/) {
  return classic::open_mwhc_map(section);
}

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

/// Of a graph over the whole set, and the values of its vertices, on one thread.
constexpr BuildCost graph_cost(double mapping_ns, double search_ns, double held_bytes) {
  return {.phases = {{{"mapping", mapping_ns, false}, {"search", search_ns, false}}},
          .held_bytes = held_bytes,
          .whole_set = true};
}

constexpr std::array kAlgorithms{
    Algorithm{.name = "ribbon",
              .section_type = file::kRibbonFunctionSection,
              .cost = {.phases = {{{"map", 85}}}, .thread_bytes = 14e6},
              .bits_per_key = for_builds(ribbon_bits),
              .plan = for_builds(plan_ribbon),
              .open = open<ribbon::Table>},
    Algorithm{.name = "fuse",
              .section_type = file::kFuseSection,
              .cost = {.phases = {{{"map", 50}}}, .thread_bytes = 38e6},
              .bits_per_key = for_builds(fuse_bits),
              .plan = for_builds(plan_fuse),
              .open = open<fuse::Table>},
    Algorithm{.name = "mwhc2",
              .section_type = file::kMwhcMapSection,
              .cost = graph_cost(780, 135, 57),
              .bits_per_key = for_builds(mwhc2_bits),
              .build_whole = for_builds(classic::build_mwhc2_map),
              .open = open_mwhc},
    Algorithm{.name = "mwhc3",
              .section_type = file::kMwhcMapSection,
              .cost = graph_cost(600, 120, 54),
              .bits_per_key = for_builds(mwhc3_bits),
              .build_whole = for_builds(classic::build_mwhc3_map),
              .open = open_mwhc},
    Algorithm{.name = "ribbon",
              .section_type = file::kCodedSection,
              .compresses = true,
              .cost = {.phases = {{{"map", 105}}}, .thread_bytes = 36e6},
              .bits_per_key = for_builds(ribbon_bits),
              .plan = for_builds(plan_coded),
              .open = open_coded},
};

constexpr auto kNames =
    base::names_of<kAlgorithms, [](const Algorithm& algorithm) { return !algorithm.compresses; }>();

}  // namespace

std::span<const Algorithm> algorithms() noexcept {
  return kAlgorithms;
}

std::span<const std::string_view> algorithm_names() noexcept {
  return kNames;
}

}  // namespace crivo::map
