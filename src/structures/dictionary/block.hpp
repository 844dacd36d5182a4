// SPDX-License-Identifier: Apache-2.0
/// A block of a dictionary: some keys in order, in columns.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "structures/bits/packed.hpp"
#include "structures/dictionary/byte_masks.hpp"
#include "structures/dictionary/token_table.hpp"

namespace crivo::dictionary {

/// What a block begins with: widths and least numbers of its two columns, what each key but the
/// first has in common with the one before, and the tokens of the rest of it.
struct BlockHead {
  std::uint32_t least_shared = 0;
  std::uint32_t least_tokens = 0;
  std::uint32_t first_tokens = 0;  ///< of the first key
  unsigned shared_bits = 0;
  unsigned token_count_bits = 0;
  bool wide = false;  ///< a number of the block is above 255

  static constexpr std::size_t kNarrowBytes = 4;
  static constexpr std::size_t kWideBytes = 20;
  static constexpr unsigned kWide = 0xff;  ///< in the place of the widths
  static constexpr unsigned kMostWideBits = 32;

  void write(base::Bytes& to) const;
};

/// A block, whose bytes are not trusted: it reads none outside of them, but for kPadding behind.
class Block {
 public:
  /// Its keys are counted from 0. False where it is malformed.
  bool open(base::ByteView bytes, unsigned keys, unsigned token_bits) noexcept;

  unsigned keys() const noexcept { return keys_; }
  const BlockHead& head() const noexcept { return head_; }
  const std::byte* columns() const noexcept { return columns_; }
  const std::byte* tokens() const noexcept { return tokens_; }
  /// The tokens that there may be.
  std::uint64_t capacity() const noexcept { return capacity_; }
  /// The bit at which the second column begins.
  std::size_t counts_at() const noexcept { return std::size_t{head_.shared_bits} * (keys_ - 1); }

 private:
  BlockHead head_;
  const std::byte* columns_ = nullptr;
  const std::byte* tokens_ = nullptr;
  std::uint64_t capacity_ = 0;
  unsigned keys_ = 0;
};

/// The columns of a block in bytes: entry 0 is the first key, with nothing in common.
class NarrowColumns {
 public:
  /// For keys below `keys`.
  void fill(const Block& block, unsigned keys) noexcept {
    const BlockHead& head = block.head();
    shared_[kBefore] = 0;
    counts_[kBefore] = static_cast<std::uint8_t>(head.first_tokens);
    unpack_bytes(block.columns(), 0, head.shared_bits, keys - 1, head.least_shared,
                 shared_.data() + kBefore + 1);
    unpack_bytes(block.columns(), block.counts_at(), head.token_count_bits, keys - 1,
                 head.least_tokens, counts_.data() + kBefore + 1);
  }
  std::uint32_t shared(unsigned i) const noexcept { return shared_[kBefore + i]; }
  std::uint32_t count(unsigned i) const noexcept { return counts_[kBefore + i]; }
  /// The tokens of the keys from `begin` on, and before `end`.
  std::uint64_t counts(unsigned begin, unsigned end) const noexcept {
    return sum_bytes(counts_.data() + kBefore, begin, end);
  }
  /// The first key from `i` on, and before `keys`, that has at most `most` in common; or `keys`.
  unsigned next_at_most(unsigned i, unsigned keys, std::size_t most) const noexcept {
    if (most >= 255) return std::min(i, keys);
    for (unsigned group = i & ~63U; group < keys; group += 64) {
      std::uint64_t mask = at_most(shared_.data() + kBefore + group, static_cast<unsigned>(most));
      if (group < i) mask &= ~std::uint64_t{0} << (i - group);
      if (mask != 0) return std::min(group + static_cast<unsigned>(std::countr_zero(mask)), keys);
    }
    return keys;
  }

 private:
  static constexpr std::size_t kBefore = 7;  ///< so that entry 1 is at a multiple of 8
  // 8 keys more than there are may be unpacked, and 64 are compared at once.
  alignas(16) std::array<std::uint8_t, kBefore + kMostBlockKeys + 64> shared_;
  alignas(16) std::array<std::uint8_t, kBefore + kMostBlockKeys + 64> counts_;
};

/// The same of a block whose numbers do not fit in bytes.
class WideColumns {
 public:
  void fill(const Block& block, unsigned /*keys*/) noexcept { block_ = &block; }
  std::uint32_t shared(unsigned i) const noexcept {
    if (i == 0) return 0;
    const BlockHead& head = block_->head();
    return head.least_shared + field(std::size_t{head.shared_bits} * (i - 1), head.shared_bits);
  }
  std::uint32_t count(unsigned i) const noexcept {
    const BlockHead& head = block_->head();
    if (i == 0) return head.first_tokens;
    return head.least_tokens +
           field(block_->counts_at() + std::size_t{head.token_count_bits} * (i - 1),
                 head.token_count_bits);
  }
  std::uint64_t counts(unsigned begin, unsigned end) const noexcept {
    std::uint64_t sum = 0;
    for (; begin < end; ++begin) sum += count(begin);
    return sum;
  }
  unsigned next_at_most(unsigned i, unsigned keys, std::size_t most) const noexcept {
    while (i < keys && shared(i) > most) ++i;
    return std::min(i, keys);
  }

 private:
  std::uint32_t field(std::size_t bit, unsigned width) const noexcept {
    return static_cast<std::uint32_t>(bits::load_bits(block_->columns(), bit, width));
  }

  const Block* block_ = nullptr;
};

/// What use(columns) returns, of the columns of `block` as far as `keys`.
template <typename Use>
auto with_columns(const Block& block, unsigned keys, const Use& use) noexcept {
  if (block.head().wide) [[unlikely]] {
    WideColumns columns;
    columns.fill(block, keys);
    return use(columns);
  }
  NarrowColumns columns;
  columns.fill(block, keys);
  return use(columns);
}

/// Writes blocks.
class BlockEncoder {
 public:
  explicit BlockEncoder(unsigned token_bits) : token_bits_(token_bits) {}

  /// A key more, which has `shared` bytes in common with the one before (the first: none), and
  /// these tokens behind.
  void add(std::uint32_t shared, std::size_t tokens) {
    shared_.push_back(shared);
    counts_.push_back(static_cast<std::uint32_t>(tokens));
  }
  /// Tokens of the key that is added next.
  std::vector<std::uint16_t>& tokens() noexcept { return tokens_; }
  std::size_t keys() const noexcept { return shared_.size(); }
  /// Appends the block of the keys so far, at least one, and begins another.
  void finish(base::Bytes& to);

 private:
  unsigned token_bits_;
  std::vector<std::uint32_t> shared_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint16_t> tokens_;
};

}  // namespace crivo::dictionary
