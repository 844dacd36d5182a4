// SPDX-License-Identifier: Apache-2.0
/// The filter type `split-block-bloom`: Parquet's Bloom filter (formats/split-block-bloom.md). The
/// layout and the constants are those of the Parquet file format; the structure is that of Putze,
/// Sanders, Singler, "Cache-, Hash-, and Space-Efficient Bloom Filters" (JEA 2009), in the form in
/// which Impala has it.
///
///     section   n 8 | B 8 | zero 48 | B blocks of 32 bytes | rate 8
///     block     eight words of 32 bits, in each of which a key has one
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/filter.hpp"

namespace crivo::filter::split_block {

/// More blocks than this cannot be told apart by 32 bits evenly enough.
inline constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 31;

/// A block is so many words of 32 bits, in each of which a key sets one.
inline constexpr std::size_t kWords = 8;
inline constexpr std::size_t kBlockBytes = 4 * kWords;
inline constexpr std::uint64_t kBlockBits = 8 * kBlockBytes;

inline constexpr std::array<std::uint32_t, kWords> kSalts{
    0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

/// The block of a hash, among `blocks` (at most 2^31). Ascends with `hi`.
constexpr std::uint64_t block_of(std::uint64_t hi, std::uint64_t blocks) noexcept {
  return ((hi >> 32) * blocks) >> 32;
}

/// The bit that a hash has in word i of its block.
constexpr std::uint32_t bit_of(std::uint64_t hi, std::size_t i) noexcept {
  return static_cast<std::uint32_t>(hi) * kSalts[i] >> 27;
}

/// Whether a block has all bits of a hash.
inline bool holds(const std::byte* block, std::uint64_t hi) noexcept {
  std::uint32_t all = 1;
  for (std::size_t i = 0; i < kWords; ++i) {
    all &= base::load_le<std::uint32_t>(block + 4 * i) >> bit_of(hi, i);
  }
  return all != 0;
}

/// A filter of `blocks` >= 1 blocks at `data`.
struct Table {
  std::uint64_t keys = 0;
  std::uint64_t blocks = 0;
  std::uint64_t rate = 0;  ///< false positives in units of 2^-64
  const std::byte* data = nullptr;

  const std::byte* block(Hash128 hash) const noexcept {
    return data + kBlockBytes * block_of(hash.hi, blocks);
  }
};

/// The header in front of the blocks.
inline constexpr std::uint64_t kHeaderBytes = 64;

/// So many keys ahead, batches ask for blocks.
inline constexpr std::size_t kAhead = 16;

/// The part that the forms of the filter share.
class TableFilter : public Membership {
 public:
  explicit TableFilter(const Table& table) noexcept : table_(table) {}

  std::uint64_t size() const noexcept override { return table_.keys; }
  double fpr() const noexcept override { return std::ldexp(static_cast<double>(table_.rate), -64); }
  std::vector<Parameter> parameters() const override { return {{"blocks", table_.blocks}}; }

 protected:
  Table table_;
};

/// The sum over filled blocks of the product of their words' numbers of ones: 2^40 times the number
/// of false positives that a random hash meets in each, summed. At most 2^71.
using Ones = detail::Product128;

/// Fills the blocks [first, end) of `blocks` at `data`, which begins with block `first`, from their
/// hashes, all of them, in ascending order.
Ones fill(std::span<const Hash128> hashes, std::uint64_t blocks, std::uint64_t first,
          std::uint64_t end, std::byte* data);

/// Sets the bits of hashes, in any order, in `blocks` blocks at `data`.
void add(std::span<const std::uint64_t> hashes, std::uint64_t blocks, std::byte* data) noexcept;

/// fill(), add() and TableFilter for processors with AVX2.
void add_avx2(std::span<const std::uint64_t> hashes, std::uint64_t blocks,
              std::byte* data) noexcept;
Ones fill_avx2(std::span<const Hash128> hashes, std::uint64_t blocks, std::uint64_t first,
               std::uint64_t end, std::byte* data);
std::unique_ptr<const Membership> make_avx2_filter(const Table& table);

/// The product of the numbers of ones in the words of a block.
inline std::uint64_t product_of_ones(const std::uint32_t* words) noexcept {
  std::uint64_t product = 1;
  for (std::size_t i = 0; i < kWords; ++i) {
    product *= static_cast<std::uint64_t>(std::popcount(words[i]));
  }
  return product;
}

}  // namespace crivo::filter::split_block

namespace crivo::filter {

std::unique_ptr<const Membership> open_split_block(base::ByteView section);

}  // namespace crivo::filter
