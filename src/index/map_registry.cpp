#include <algorithm>
#include <array>
#include <ranges>

#include "file/section_types.hpp"
#include "structures/classic/mwhc_map.hpp"
#include "structures/csf/build.hpp"
#include "structures/csf/function.hpp"
#include "structures/fuse/builder.hpp"
#include "structures/fuse/table.hpp"
#include "structures/ribbon/builder.hpp"
#include "structures/ribbon/table.hpp"
#include "structures/static_function.hpp"

namespace crivo::map {
namespace {

using retrieval::ValueSource;
using stream::KeySource;

template <typename Table>
std::unique_ptr<const StaticFunction> open(base::ByteView section) {
  return std::make_unique<TableFunction<Table>>(Table(section));
}

double ribbon_bits(std::uint64_t n, const Parameters& parameters) {
  return ribbon::bits_per_key(n, parameters.width);
}

void build_ribbon(const KeySource& hashes, const Parameters& parameters, const ValueSource& values,
                  const base::BuildContext& context, base::Sink& sink) {
  ribbon::build(hashes, parameters.width, values, context, sink);
}

double fuse_bits(std::uint64_t n, const Parameters& parameters) {
  return fuse::bits_per_key(n, parameters.width, parameters.arity);
}

void build_fuse(const KeySource& hashes, const Parameters& parameters, const ValueSource& values,
                const base::BuildContext& context, base::Sink& sink) {
  fuse::build(hashes, parameters.width, parameters.arity, values, context, sink);
}

void build_coded(const KeySource& hashes, const Parameters& /*parameters*/,
                 const ValueSource& values, const base::BuildContext& context, base::Sink& sink) {
  csf::build(hashes, values, context, sink);
}

double mwhc2_bits(std::uint64_t n, const Parameters& parameters) {
  return classic::mwhc_map_bits_per_key(2, n, parameters.width);
}

double mwhc3_bits(std::uint64_t n, const Parameters& parameters) {
  return classic::mwhc_map_bits_per_key(3, n, parameters.width);
}

constexpr std::array kAlgorithms{
    Algorithm{"ribbon", false, false, file::kRibbonFunctionSection, ribbon_bits, build_ribbon,
              open<ribbon::Table>},
    Algorithm{"fuse", false, true, file::kFuseSection, fuse_bits, build_fuse, open<fuse::Table>},
    Algorithm{"mwhc2", false, false, file::kMwhcMapSection, mwhc2_bits, classic::build_mwhc2_map,
              classic::open_mwhc_map},
    Algorithm{"mwhc3", false, false, file::kMwhcMapSection, mwhc3_bits, classic::build_mwhc3_map,
              classic::open_mwhc_map},
    Algorithm{"ribbon", true, false, file::kCodedSection, ribbon_bits, build_coded,
              open<csf::Function>},
};

constexpr bool is_chosen_by_name(const Algorithm& algorithm) {
  return !algorithm.compresses;
}

constexpr auto kNames = [] {
  std::array<std::string_view, std::ranges::count_if(kAlgorithms, is_chosen_by_name)> names;
  std::ranges::transform(kAlgorithms | std::views::filter(is_chosen_by_name), names.begin(),
                         &Algorithm::name);
  return names;
}();

}  // namespace

std::span<const Algorithm> algorithms() noexcept {
  return kAlgorithms;
}

std::span<const std::string_view> algorithm_names() noexcept {
  return kNames;
}

}  // namespace crivo::map
