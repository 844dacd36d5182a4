// SPDX-License-Identifier: Apache-2.0
/// The filter types, as a reader sees them.
#include <array>

#include "file/section_types.hpp"
#include "structures/bloom/bloom.hpp"
#include "structures/cuckoo/cuckoo.hpp"
#include "structures/filter.hpp"
#include "structures/fuse/table.hpp"
#include "structures/hash_compaction/hash_compaction.hpp"
#include "structures/range/shape.hpp"
#include "structures/ribbon/table.hpp"
#include "structures/split_block/split_block.hpp"

namespace crivo::filter {
namespace {

constexpr std::array kTypes{
    Type{.name = "ribbon", .section_type = file::kRibbonSection, .open = open_ribbon},
    Type{.name = "fuse", .section_type = file::kFuseSection, .open = open_fuse},
    Type{.name = "split-block-bloom",
         .section_type = file::kSplitBlockSection,
         .key_hash = hashing::KeyHashId::xxh64,
         .open = open_split_block},
    Type{.name = "bloom",
         .section_type = file::kBloomSection,
         .can = kAdds | kUnites,
         .open = open_bloom},
    Type{.name = "counting-bloom",
         .section_type = file::kCountingBloomSection,
         .can = kAdds | kRemoves | kCounts,
         .open = open_counting_bloom},
    Type{.name = "cuckoo",
         .section_type = file::kCuckooSection,
         .can = kAdds | kRemoves,
         .open = open_cuckoo},
    Type{.name = "hash-compaction",
         .section_type = file::kHashCompactionSection,
         .open = open_hash_compaction},
    Type{.name = "range",
         .section_type = file::kRangeSection,
         .can = kRanges,
         .key_hash = hashing::KeyHashId::range,
         .open = open_range},
};

}  // namespace

std::span<const Type> types() noexcept {
  return kTypes;
}

}  // namespace crivo::filter
