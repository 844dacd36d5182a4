#include <array>

#include "file/section_types.hpp"
#include "filter/ribbon.hpp"
#include "map/static_function.hpp"
#include "ribbon/builder.hpp"
#include "ribbon/table.hpp"

namespace crivo::map {
namespace {

std::unique_ptr<const StaticFunction> open_ribbon(file::ByteView section) {
  return std::make_unique<TableFunction<ribbon::Table>>(ribbon::Table(section));
}

}  // namespace

std::span<const Algorithm> algorithms() noexcept {
  static constexpr std::array kAlgorithms{
      Algorithm{"ribbon", file::kRibbonSection, filter::ribbon_bits_per_key, ribbon::build,
                open_ribbon},
  };
  return kAlgorithms;
}

}  // namespace crivo::map
