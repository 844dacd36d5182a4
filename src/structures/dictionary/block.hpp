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

/// The head of a block: widths and least numbers of its two columns, the bytes that each key but
/// the first has in common with the one before, and the tokens of the rest of it.
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
  /// For keys below `keys`. False if they have more tokens than there may be.
  bool fill(const Block& block, unsigned keys) noexcept {
    const BlockHead& head = block.head();
    unpack_bytes(block.columns(), 0, head.shared_bits, keys - 1, head.least_shared,
                 shared_.data() + kBefore + 1);
    unpack_bytes(block.columns(), block.counts_at(), head.token_count_bits, keys - 1,
                 head.least_tokens, counts_.data());
    shared_[kBefore] = 0;
    ends_[kBefore - 1] = 0;
    const auto first = static_cast<std::uint16_t>(head.first_tokens);
    ends_[kBefore] = first;
    sum_bytes(counts_.data(), keys - 1, first, ends_.data() + kBefore + 1);
    return ends_[kBefore + keys - 1] <= block.capacity();
  }
  std::uint32_t shared(unsigned i) const noexcept { return shared_[kBefore + i]; }
  /// Where the tokens of a key begin and end among those of the block.
  std::uint32_t begin(unsigned i) const noexcept { return ends_[kBefore + i - 1]; }
  std::uint32_t end(unsigned i) const noexcept { return ends_[kBefore + i]; }

  /// The first key from `i` on, and before `keys`, that has less than `matched` in common, or as
  /// much and then is_up(its number); or `keys`.
  template <typename IsUp>
  unsigned next(unsigned i, unsigned keys, std::size_t matched, const IsUp& is_up) const noexcept {
    if (matched > 0xff) return i;
    for (unsigned group = i & ~63U; group < keys; group += 64) {
      Masks masks = compare_bytes(shared_.data() + kBefore + group, static_cast<unsigned>(matched));
      std::uint64_t from = ~std::uint64_t{0};
      if (group < i) from <<= i - group;
      masks.below &= from;
      // Those before the lowest bit of `below`.
      masks.same &= from & (masks.below - 1) & ~masks.below;
      for (; masks.same != 0; masks.same &= masks.same - 1) {
        const unsigned at = group + static_cast<unsigned>(std::countr_zero(masks.same));
        if (at >= keys) return keys;
        if (is_up(at)) return at;
      }
      if (masks.below != 0)
        return std::min(group + static_cast<unsigned>(std::countr_zero(masks.below)), keys);
    }
    return keys;
  }
  /// The last key before `i` that has less than `most` (at least 1) in common.
  unsigned last_below(unsigned i, std::uint32_t most) const noexcept {
    for (unsigned group = (i - 1) & ~63U;; group -= 64) {
      std::uint64_t below = compare_bytes(shared_.data() + kBefore + group, most).below;
      if (i - group < 64) below &= (std::uint64_t{1} << (i - group)) - 1;
      if (below != 0) return group + 63 - static_cast<unsigned>(std::countl_zero(below));
      if (group == 0) return 0;
    }
  }

 private:
  static constexpr std::size_t kBefore = 15;  ///< so that entry 1 is at a multiple of 16
  // 16 keys more than there are may be unpacked, and 64 are compared at once.
  alignas(16) std::array<std::uint8_t, kBefore + kMostBlockKeys + 64> shared_;
  alignas(16) std::array<std::uint8_t, kMostBlockKeys + 16> counts_;
  alignas(16) std::array<std::uint16_t, kBefore + kMostBlockKeys + 16> ends_;
};

/// The same of a block whose numbers do not fit in bytes.
class WideColumns {
 public:
  bool fill(const Block& block, unsigned keys) noexcept {
    const BlockHead& head = block.head();
    shared_[0] = 0;
    std::uint64_t end = head.first_tokens;
    ends_[0] = end;
    for (unsigned i = 1; i < keys; ++i) {
      shared_[i] = head.least_shared +
                   field(block, std::size_t{head.shared_bits} * (i - 1), head.shared_bits);
      end += head.least_tokens +
             field(block, block.counts_at() + std::size_t{head.token_count_bits} * (i - 1),
                   head.token_count_bits);
      ends_[i] = end;
    }
    return end <= block.capacity();
  }
  std::uint32_t shared(unsigned i) const noexcept { return shared_[i]; }
  std::uint64_t begin(unsigned i) const noexcept { return i == 0 ? 0 : ends_[i - 1]; }
  std::uint64_t end(unsigned i) const noexcept { return ends_[i]; }
  template <typename IsUp>
  unsigned next(unsigned i, unsigned keys, std::size_t matched, const IsUp& is_up) const noexcept {
    while (i < keys && (shared(i) > matched || (shared(i) == matched && !is_up(i)))) ++i;
    return i;
  }
  unsigned last_below(unsigned i, std::uint32_t most) const noexcept {
    do {
      --i;
    } while (i != 0 && shared(i) >= most);
    return i;
  }

 private:
  static std::uint32_t field(const Block& block, std::size_t bit, unsigned width) noexcept {
    return static_cast<std::uint32_t>(bits::load_bits(block.columns(), bit, width));
  }

  std::array<std::uint32_t, kMostBlockKeys> shared_;
  std::array<std::uint64_t, kMostBlockKeys> ends_;
};

/// Returns what use(columns) does, with the columns of `block` as far as `keys`; `otherwise` where
/// they are malformed.
template <typename Result, typename Use>
Result with_columns(const Block& block, unsigned keys, const Result& otherwise,
                    const Use& use) noexcept {
  if (block.head().wide) [[unlikely]] {
    WideColumns columns;
    return columns.fill(block, keys) ? use(columns) : otherwise;
  }
  NarrowColumns columns;
  return columns.fill(block, keys) ? use(columns) : otherwise;
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
  /// Appends what stands in it before the tokens, and begins another; returns how many tokens are
  /// to follow, for who packs them.
  std::size_t write_front(base::Bytes& to);

 private:
  unsigned token_bits_;
  std::vector<std::uint32_t> shared_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint16_t> tokens_;
};

}  // namespace crivo::dictionary
