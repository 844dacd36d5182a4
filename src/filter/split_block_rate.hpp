/// How many blocks a split-block Bloom filter needs.
#pragma once

#include <cstdint>

namespace crivo::filter::split_block {

/// More blocks than this cannot be told apart by 32 bits evenly enough.
inline constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 31;

/// The false-positive rate of n keys in `blocks` >= 1 blocks, over all sets of keys: how many of
/// the keys fall into a block is binomial, and a word of a block with k of them has a bit set with
/// probability 1 - (31/32)^k.
struct Rate {
  double mean = 0;
  double deviation = 0;  ///< of one set's rate from the mean
};
Rate rate_of(std::uint64_t n, std::uint64_t blocks) noexcept;

/// The fewest blocks with which nearly all (two deviations) sets of n keys have a rate of at most
/// `fpr`; above kMaxBlocks if those do not do.
std::uint64_t blocks_for(std::uint64_t n, double fpr) noexcept;

}  // namespace crivo::filter::split_block
