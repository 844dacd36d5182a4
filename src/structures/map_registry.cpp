// SPDX-License-Identifier: Apache-2.0
/// The algorithms of static functions, as a reader sees them.
#include <array>
#include <functional>

#include "file/section_types.hpp"
#include "structures/classic/functions.hpp"
#include "structures/csf/function.hpp"
#include "structures/fuse/table.hpp"
#include "structures/ribbon/table.hpp"
#include "structures/static_function.hpp"

namespace crivo::map {
namespace {

template <typename Table>
std::unique_ptr<const StaticFunction> open(const base::CheckedBytes& section,
                                           const std::function<void()>& /*forget*/) {
  return std::make_unique<TableFunction<Table>>(Table(section));
}

std::unique_ptr<const StaticFunction> open_coded(const base::CheckedBytes& section,
                                                 const std::function<void()>& forget) {
  return std::make_unique<TableFunction<csf::Function>>(csf::Function(section, forget));
}

/// All of it is touched now.
std::unique_ptr<const StaticFunction> open_mwhc(const base::CheckedBytes& section,
                                                const std::function<void()>& /*forget*/) {
  return classic::open_mwhc_map(
      base::FieldReader(section, "map section").take_touched(section.bytes.size()));
}

constexpr std::array kAlgorithms{
    Algorithm{.name = "ribbon",
              .section_type = file::kRibbonFunctionSection,
              .open = open<ribbon::Table>},
    Algorithm{.name = "fuse", .section_type = file::kFuseSection, .open = open<fuse::Table>},
    Algorithm{.name = "mwhc2", .section_type = file::kMwhcMapSection, .open = open_mwhc},
    Algorithm{.name = "mwhc3", .section_type = file::kMwhcMapSection, .open = open_mwhc},
    Algorithm{.name = "ribbon", .section_type = file::kCodedSection, .open = open_coded},
};

}  // namespace

std::span<const Algorithm> algorithms() noexcept {
  return kAlgorithms;
}

}  // namespace crivo::map
