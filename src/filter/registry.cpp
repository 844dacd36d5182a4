#include <array>

#include "file/section_types.hpp"
#include "filter/filter.hpp"
#include "filter/fuse.hpp"
#include "filter/ribbon.hpp"

namespace crivo::filter {

std::span<const Type> types() noexcept {
  static constexpr std::array kTypes{
      Type{"ribbon", file::kRibbonSection, 0, plan_ribbon, build_ribbon, open_ribbon},
      Type{"fuse", file::kFuseSection, kTakesArity, plan_fuse, build_fuse, open_fuse},
  };
  return kTypes;
}

}  // namespace crivo::filter
