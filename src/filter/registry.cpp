#include <array>

#include "file/section_types.hpp"
#include "filter/bloom.hpp"
#include "filter/bloom_algebra.hpp"
#include "filter/filter.hpp"
#include "filter/ribbon.hpp"

namespace crivo::filter {

std::span<const Type> types() noexcept {
  static constexpr std::array kTypes{
      Type{"ribbon", file::kRibbonSection, 0, plan_ribbon, build_ribbon, open_ribbon},
      Type{"bloom", file::kBloomSection, kTakesCapacity | kTakesHashes, plan_bloom, build_bloom,
           open_bloom, kAdds | kUnites, edit_bloom, combine_bloom},
      Type{"counting-bloom", file::kCountingBloomSection,
           kTakesCapacity | kTakesHashes | kTakesCounterBits, plan_counting_bloom,
           build_counting_bloom, open_counting_bloom, kAdds | kRemoves | kCounts,
           edit_counting_bloom},
  };
  return kTypes;
}

}  // namespace crivo::filter
