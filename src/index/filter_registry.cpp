#include <algorithm>
#include <array>

#include "file/section_types.hpp"
#include "structures/bloom/algebra.hpp"
#include "structures/bloom/bloom.hpp"
#include "structures/cuckoo/cuckoo.hpp"
#include "structures/filter.hpp"
#include "structures/fuse/filter.hpp"
#include "structures/hash_compaction/hash_compaction.hpp"
#include "structures/ribbon/filter.hpp"
#include "structures/split_block/split_block.hpp"

namespace crivo::filter {
namespace {

constexpr std::array kTypes{
    Type{"ribbon", file::kRibbonSection, 0, plan_ribbon, build_ribbon, open_ribbon},
    Type{"fuse", file::kFuseSection, kTakesArity, plan_fuse, build_fuse, open_fuse},
    Type{"split-block-bloom", file::kSplitBlockSection, 0, plan_split_block, build_split_block,
         open_split_block, 0, nullptr, nullptr, file::KeyHash::xxh64},
    Type{"bloom", file::kBloomSection, kTakesCapacity | kTakesHashes, plan_bloom, build_bloom,
         open_bloom, kAdds | kUnites, edit_bloom, combine_bloom},
    Type{"counting-bloom", file::kCountingBloomSection,
         kTakesCapacity | kTakesHashes | kTakesCounterBits, plan_counting_bloom,
         build_counting_bloom, open_counting_bloom, kAdds | kRemoves | kCounts,
         edit_counting_bloom},
    Type{"cuckoo", file::kCuckooSection, kTakesCapacity | kTakesSemiSorted, plan_cuckoo,
         build_cuckoo, open_cuckoo, kAdds | kRemoves, edit_cuckoo},
    Type{"hash-compaction", file::kHashCompactionSection, 0, plan_hash_compaction,
         build_hash_compaction, open_hash_compaction},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kTypes.size()> names;
  std::ranges::transform(kTypes, names.begin(), &Type::name);
  return names;
}();

}  // namespace

std::span<const Type> types() noexcept {
  return kTypes;
}

std::span<const std::string_view> type_names() noexcept {
  return kNames;
}

}  // namespace crivo::filter
