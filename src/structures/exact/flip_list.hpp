// SPDX-License-Identifier: Apache-2.0
/// Lists of flips: the keys that what came before answers wrongly (formats/delta.md).
///
/// The universe of a group is cut into 2^b cells by the first bits of its keys' hashes. A flip is
/// known by its cell, and by the first t bits of a product of its hash's second half. One t
/// and one factor, which a salt makes, are for a block of 16 flips, and such that no other key of
/// the universe in one of their cells has the bits of a flip.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "hashing/sha256.hpp"

namespace crivo::exact {

inline constexpr std::uint64_t kFlipBlock = 16;
inline constexpr unsigned kMostCellBits = 40;
inline constexpr unsigned kMostTagBits = 14;
inline constexpr std::uint64_t kMostSalt = (std::uint64_t{1} << 24) - 1;

/// Returns the factor of second halves of hashes for tags. (Keys with different halves have
/// different products, so some salt tells them apart.)
constexpr std::uint64_t factor_of(std::uint64_t salt) noexcept {
  return base::mix64(salt + 1) | 1;
}
constexpr std::uint64_t flip_tag(std::uint64_t lo, std::uint64_t factor, unsigned bits) noexcept {
  return base::top_bits(lo * factor, bits);
}

/// A flip as a list has it.
struct Flip {
  std::uint64_t cell = 0;
  std::uint32_t salt = 0;
  std::uint16_t tag = 0;
  std::uint8_t cell_bits = 0;
  std::uint8_t tag_bits = 0;

  bool is_of(const Hash128& hash) const noexcept {
    return base::top_bits(hash.hi, cell_bits) == cell &&
           flip_tag(hash.lo, factor_of(salt), tag_bits) == tag;
  }
};

/// The flips of a group in one list.
struct FlipGroup {
  std::uint64_t number = 0;  ///< among the base's groups, and those that deltas add to them
  std::uint64_t flips = 0;
  unsigned cell_bits = 0;
};

/// The Rice parameter of the gaps between the cells of a group's flips.
constexpr unsigned rice_bits(const FlipGroup& group) noexcept {
  const std::uint64_t most = (std::uint64_t{11} << group.cell_bits) / 16;
  unsigned bits = 0;
  while (group.flips << (bits + 1) <= most) ++bits;
  return bits;
}

/// One list of flips: what one delta changes.
struct FlipList {
  std::uint64_t flips = 0;
  std::uint64_t members = 0;   ///< of the set as it is then
  std::uint64_t universe = 0;  ///< keys that were read, repeats counted
  std::uint64_t listed = 0;    ///< groups with flips
  base::ByteView added{};      ///< hashes of groups that nothing before knows, 8 bytes each
  base::ByteView bits{};

  std::uint64_t added_groups() const noexcept { return added.size() / 8; }
  std::uint64_t added_group(std::uint64_t index) const noexcept {
    return base::load_le<std::uint64_t>(added.data() + 8 * index);
  }
};

/// Section 120.
struct Delta {
  hashing::Sha256Value base{};    ///< the root of the file that the first delta changes
  hashing::Sha256Value before{};  ///< the state that this one changes
  std::uint64_t number = 1;       ///< of the first delta that it is
  /// A filter's delta: its lists are empty, and each stands for a filter of keys, which is beside
  /// them.
  bool of_filter = false;
  bool grouped = false;
  std::uint64_t groups = 1;  ///< that are known before it
  std::vector<FlipList> lists{};
  /// The deltas that it joins; none if it is one alone.
  std::vector<hashing::Sha256Value> joined{};

  std::uint64_t flips() const noexcept;
  /// Groups that are known after it.
  std::uint64_t groups_after() const noexcept;
  /// The state after it, where `root` is that of its file.
  hashing::Sha256Value after(const hashing::Sha256Value& root) const;
};

/// The state after a delta.
hashing::Sha256Value state_after(const hashing::Sha256Value& before,
                                 const hashing::Sha256Value& root);

base::Bytes encode_delta(const Delta& delta);
/// Views into `section`, which must outlive them. Throws Error(corrupt). What the bits hold is not
/// looked at.
Delta decode_delta(base::ByteView section);

/// Reads the bits of a list, in order. All throw Error(corrupt).
class FlipReader {
 public:
  /// `groups` are known before the list.
  FlipReader(const FlipList& list, std::uint64_t groups);

  /// Those with flips, in ascending order.
  const std::vector<FlipGroup>& groups() const noexcept { return groups_; }
  /// Calls visit(index of a group of groups(), flip) for each.
  template <typename Visit>
  void for_each(Visit&& visit) {
    std::uint64_t left = 0;  // of the block
    take_widths();
    Flip flip;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const FlipGroup& group = groups_[i];
      const unsigned rice = rice_bits(group);
      const std::uint64_t cells = std::uint64_t{1} << group.cell_bits;
      flip.cell = 0;
      flip.cell_bits = static_cast<std::uint8_t>(group.cell_bits);
      for (std::uint64_t n = 0; n < group.flips; ++n) {
        if (left == 0) {
          take_block(flip);
          left = kFlipBlock;
        }
        --left;
        const Fields fields = take_fields(rice, flip.tag_bits);
        if (fields.quotient > cells >> rice) fail("a flip beyond its group");
        flip.cell += (fields.quotient << rice) | fields.rest;
        if (flip.cell >= cells) fail("a flip beyond its group");
        flip.tag = static_cast<std::uint16_t>(fields.tag);
        visit(i, std::as_const(flip));
      }
    }
    expect_end();
  }

 private:
  /// Those of a flip.
  struct Fields {
    std::uint64_t quotient;
    std::uint64_t rest;
    std::uint64_t tag;
  };

  [[noreturn]] static void fail(const char* problem);
  /// From one load, where they are in it as a whole: nearly always.
  [[gnu::always_inline]] Fields take_fields(unsigned rice, unsigned tag_bits) {
    const std::uint64_t byte = at_ / 8;
    if (byte + 8 <= bits_.size()) [[likely]] {
      const std::uint64_t word = base::load_le<std::uint64_t>(bits_.data() + byte) >> (at_ % 8);
      const auto zeros = static_cast<unsigned>(std::countr_zero(word | std::uint64_t{1} << 56));
      if (zeros + 1 + rice + tag_bits <= 57) [[likely]] {
        at_ += zeros + 1 + rice + tag_bits;
        const std::uint64_t rest = word >> (zeros + 1);
        return {zeros, lowest(rest, rice), lowest(rest >> rice, tag_bits)};
      }
    }
    const std::uint64_t quotient = take_zeros();
    const std::uint64_t rest = take(rice);
    return {quotient, rest, take(tag_bits)};
  }
  static std::uint64_t lowest(std::uint64_t word, unsigned count) noexcept {
    return word & ((std::uint64_t{1} << count) - 1);
  }
  void take_widths();
  /// The tags' bits and the salt of the next flips.
  void take_block(Flip& flip);
  /// At least 57 bits from the next on; zeros from the end on.
  std::uint64_t peek() const noexcept {
    const std::uint64_t byte = at_ / 8;
    if (byte + 8 <= bits_.size())
      return base::load_le<std::uint64_t>(bits_.data() + byte) >> (at_ % 8);
    return peek_last();
  }
  std::uint64_t peek_last() const noexcept;
  std::uint64_t take(unsigned count) {
    const std::uint64_t field = lowest(peek(), count);
    skip(count);
    return field;
  }
  void skip(std::uint64_t count) {
    at_ += count;
    if (at_ > 8 * bits_.size()) fail("it ends early");
  }
  /// The zeros before the next one, which is skipped.
  std::uint64_t take_zeros() {
    std::uint64_t zeros = 0;
    for (;;) {
      const std::uint64_t word = peek() & ((std::uint64_t{1} << 57) - 1);
      if (word != 0) {
        const auto count = static_cast<unsigned>(std::countr_zero(word));
        skip(count + 1);
        return zeros + count;
      }
      skip(57);
      zeros += 57;
    }
  }
  /// From 1 on, in Elias' gamma code.
  std::uint64_t take_gamma();
  void expect_end() const;

  base::ByteView bits_;
  std::uint64_t at_ = 0;
  std::vector<FlipGroup> groups_;
  unsigned least_tag_bits_ = 0;
  unsigned salt_rice_ = 0;
};

/// A key that is to be flipped, or may be taken for one, and the number of its group.
struct GroupedKey {
  std::uint64_t group = 0;
  Hash128 hash;

  friend bool operator==(const GroupedKey&, const GroupedKey&) = default;
  friend auto operator<=>(const GroupedKey&, const GroupedKey&) = default;
};

}  // namespace crivo::exact
