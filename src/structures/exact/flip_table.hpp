// SPDX-License-Identifier: Apache-2.0
/// The flips of all deltas of a chain in one table, for lookups.
///
/// Each group with flips has a piece of a bitmap, by the first bits of hashes, which a tenth of the
/// keys without a flip pass or fewer; and its flips in buckets of four to eight, by fewer of the
/// same bits. At most 16 bytes a flip, and 4 a group that is known.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/memory.hpp"
#include "crivo/detail/exact_lookup.hpp"
#include "hashing/hash128.hpp"
#include "structures/exact/flip_list.hpp"

namespace crivo::exact {

/// Immutable; safe for any number of threads.
class FlipTable {
 public:
  /// Holds no list and no group.
  FlipTable() = default;
  /// `deltas` follow each other, and the first a set of `groups` groups. Throws Error(corrupt).
  /// O(flips + groups).
  FlipTable(std::span<const Delta> deltas, std::uint64_t groups);

  static constexpr std::uint32_t kNone = UINT32_MAX;
  /// Where the flips of a group are, by its number; kNone where there are none.
  std::uint32_t place_of(std::uint64_t number) const noexcept {
    return number < places_.size() ? places_[number] : kNone;
  }
  /// The number of a group that a delta added, by its hash.
  std::optional<std::uint64_t> added_group(std::uint64_t hash) const noexcept;
  std::uint64_t added_groups() const noexcept { return added_.size(); }

  /// Where keys of the group may have flips: where it says no, there is none.
  detail::FlipBits bits_of(std::uint32_t place) const noexcept {
    if (place == kNone) return {};
    const GroupFlips& piece = pieces_[place];
    return {bitmap_.data(), piece.first_bit, 63U - piece.bits};
  }
  /// Whether an odd number of lists hold the key. Only of one that may have flips.
  bool is_odd(std::uint32_t place, const Hash128& hash) const noexcept;
  bool is_flipped(std::uint32_t place, const Hash128& hash) const noexcept {
    return bits_of(place).may_flip(hash.hi) && is_odd(place, hash);
  }

  std::uint64_t flips() const noexcept { return entries_.size(); }
  /// Returns the memory that it takes.
  std::uint64_t memory_bytes() const noexcept;

 private:
  /// A group with flips.
  struct GroupFlips {
    std::uint64_t first_bit = 0;
    std::uint32_t first_bucket = 0;
    std::uint8_t bits = 0;
    std::uint8_t bucket_bits = 0;
    std::uint8_t least_cell_bits = kMostCellBits;
    std::uint32_t first_entry = 0;
    std::uint32_t flips = 0;
  };
  /// A flip in 12 bytes: cell, bits of cell and tag, tag; salt.
  struct Entry {
    std::uint32_t low;
    std::uint32_t high;
    std::uint32_t salt;

    std::uint64_t word() const noexcept { return std::uint64_t{high} << 32 | low; }
  };
  /// Notes groups that were added, and makes room for what the table has of groups.
  std::vector<FlipReader> read_lists(std::span<const Delta> deltas, std::uint64_t groups);
  /// Gives each group its places in the bitmap, the buckets and the entries.
  void lay_out(std::span<const FlipReader> lists);
  /// Each group's in its place, as they come.
  void take_flips(std::span<FlipReader> lists);
  /// Puts those of each group in the order of their buckets.
  void sort_flips();
  static Entry pack(const Flip& flip) noexcept;
  static Flip unpack(const Entry& entry) noexcept;

  struct Added {
    std::uint64_t hash;
    std::uint64_t number;
  };
  std::vector<std::uint32_t> places_;  ///< by number
  std::vector<GroupFlips> pieces_;
  base::HugeMemory memory_;  ///< of the next three
  std::span<std::uint64_t> bitmap_;
  std::span<std::uint32_t> starts_;  ///< of buckets, and the end of the last
  std::span<Entry> entries_;
  std::vector<Added> added_;  ///< by hash
};

}  // namespace crivo::exact
