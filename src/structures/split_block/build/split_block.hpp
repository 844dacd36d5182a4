// SPDX-License-Identifier: Apache-2.0
/// How a split-block Bloom filter is built (structures/split_block/split_block.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "structures/build/filter.hpp"
#include "structures/split_block/split_block.hpp"

namespace crivo::filter::split_block {

/// So many standard deviations above the mean, the rate of a set's filter may be what was asked:
/// about one set in 700 has a higher one.
inline constexpr unsigned kDeviations = 3;

/// The false-positive rate of n keys in `blocks` >= 1 blocks, over all sets of keys: how many of
/// the keys fall into a block is binomial, and a word of a block with k of them has a bit set with
/// probability 1 - (31/32)^k. In units of 2^-64, right to about 2^-60. O(sqrt(n / blocks)).
struct Rate {
  std::uint64_t mean = 0;
  std::uint64_t deviation = 0;  ///< of one set's rate from the mean
};
Rate rate_of(std::uint64_t n, std::uint64_t blocks) noexcept;

/// The fewest blocks with which nearly all (kDeviations) sets of n keys have a rate of at most
/// `fpr`, in units of 2^-64; above kMaxBlocks if those do not do.
std::uint64_t blocks_for(std::uint64_t n, std::uint64_t fpr) noexcept;

/// Sets the bits of hashes, in any order, in the blocks at `data`.
void add_any(std::span<const std::uint64_t> hashes, std::uint64_t blocks, std::byte* data) noexcept;
/// The part of random hashes that whole blocks hold, in units of 2^-64, rounded up. O(blocks).
std::uint64_t exact_rate(base::ByteView blocks) noexcept;
/// Halves the blocks, each of which becomes two neighbours in one, as long as their number is even
/// and the exact_rate() at most `rate`. Returns their number, which are the first of `data`: a
/// filter of the same keys, as blocks are found by the highest bits of a hash. O(blocks).
std::uint64_t fold(std::span<std::byte> data, std::uint64_t rate) noexcept;

}  // namespace crivo::filter::split_block

namespace crivo::filter {

/// Type::forecast, Type::plan and Type::open of the split-block Bloom filter, whose hashes have the
/// XXH64 of their keys as `hi`. It is built a run of blocks at a time; the number of blocks follows
/// from n and the options alone, and fpr() of the filter is that of the bits that came of it.
Forecast forecast_split_block(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_split_block(std::uint64_t n, const FilterOptions& options);
/// Builder::unsorted. Their hashes are those of the filter, whatever made them.
std::uint64_t split_block_bytes(std::uint64_t n, const FilterOptions& options);
void fill_split_block(std::span<const std::uint64_t> hashes, const FilterOptions& options,
                      std::span<std::byte> section);

}  // namespace crivo::filter
