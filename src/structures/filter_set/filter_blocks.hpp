// SPDX-License-Identifier: Apache-2.0
/// Bloom filters of groups of like sizes side by side (formats/filterset.md, "Blocks"), so that a
/// key's probes of up to 512 groups are in as many lines of memory as one group has probes.
///
///     groups    header 64 | blocks | groups by position | positions by group | places | names
///     filters   block 0: row 0, a bit a group | row 1 | ... | block 1 | ... | padding
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/bloom/cells.hpp"
#include "structures/filter_set/name_table.hpp"

namespace crivo::filter_set {

/// The most groups of a block.
inline constexpr std::uint64_t kMostColumns = 512;
/// What the section of groups begins with in the place of a type of cells.
inline constexpr std::uint32_t kBlocksLayout = 118;
/// Zero bytes behind the last block, so that a lookup may load whole words of any row.
inline constexpr std::uint64_t kBlocksPadding = 64;
/// A position that has no group, since that was removed.
inline constexpr std::uint32_t kNoPosition = UINT32_MAX;

/// A block as the table has it.
struct BlockEntry {
  static constexpr std::uint64_t kBytes = 24;

  std::uint64_t place = 0;    ///< among the filters
  std::uint64_t rows = 0;     ///< bits of each group's filter
  std::uint32_t first = 0;    ///< the position of its first group
  std::uint32_t columns = 0;  ///< groups, 1 to kMostColumns

  std::uint64_t width() const noexcept { return (columns + 7) / 8; }
  static BlockEntry load(const std::byte* at) noexcept;
  void write(base::FieldWriter& to) const;
};

struct BlocksHeader {
  static constexpr std::uint64_t kBytes = 64;

  unsigned hashes = 1;
  std::uint64_t rate = 0;  ///< designed, in units of 2^-64
  std::uint64_t groups = 0;
  std::uint64_t blocks = 0;
  std::uint64_t positions = 0;
  std::uint64_t name_bytes = 0;

  base::Bytes encode() const;
  /// Throws Error(corrupt) unless the section begins with a sound one.
  static BlocksHeader decode(base::ByteView section);
};

/// The places where a key's probes are, of all blocks: part i of 2^64 of the rows.
class KeyProbes {
 public:
  KeyProbes(std::uint64_t hi, unsigned hashes) noexcept : count_(hashes) {
    constexpr std::uint64_t kMultiplier = 0xf1357aea2e62a9c5U;
    parts_[0] = hi;
    std::uint64_t next = base::mix64(hi);
    for (unsigned i = 1; i < hashes; ++i, next *= kMultiplier) parts_[i] = next;
  }
  unsigned count() const noexcept { return count_; }
  std::uint64_t row(unsigned probe, std::uint64_t rows) const noexcept {
    return base::mulhi(parts_[probe], rows);
  }

 private:
  unsigned count_;
  std::array<std::uint64_t, filter::kMaxHashes> parts_;
};

/// Such a pair of sections, which must outlive it. Immutable; safe for any number of threads.
/// Whatever the bytes hold, no byte outside them is read.
class FilterBlocks {
 public:
  /// Throws Error(corrupt) unless the sections have the lengths that their header asks for. O(1).
  FilterBlocks(base::ByteView groups, base::ByteView filters);

  const BlocksHeader& header() const noexcept { return header_; }
  std::string_view name(std::uint64_t group) const noexcept { return names_.name(group); }
  std::optional<std::uint64_t> find(std::string_view name) const noexcept {
    return names_.find(name);
  }
  BlockEntry block(std::uint64_t number) const noexcept {
    return BlockEntry::load(blocks_ + BlockEntry::kBytes * number);
  }
  /// The group at a position, or kNoPosition; and the position of a group.
  std::uint32_t group_at(std::uint64_t position) const noexcept {
    return base::load_le<std::uint32_t>(groups_ + 4 * position);
  }
  std::uint32_t position_of(std::uint64_t group) const noexcept {
    return base::load_le<std::uint32_t>(positions_ + 4 * group);
  }
  /// The bits of a group's filter; 0 where it has none.
  std::uint64_t size_of(std::uint64_t group) const noexcept;
  /// The bytes of a block; none where they are not all there.
  base::ByteView bytes(const BlockEntry& block) const noexcept;

  /// As those of GroupedFilters.
  void check() const;
  void contains(std::uint64_t group, std::span<const Hash128> hashes, bool* answers) const noexcept;
  void groups_of(std::span<const Hash128> hashes, std::uint64_t* bitmaps, std::size_t words,
                 const std::uint64_t* numbers = nullptr) const noexcept;
  void count(std::span<const Hash128> hashes, std::uint32_t* counts,
             const std::uint64_t* numbers = nullptr) const noexcept;

 private:
  struct Column {
    BlockEntry block;
    std::uint64_t column = 0;
  };
  std::optional<Column> column_of(std::uint64_t group) const noexcept;
  template <typename Use>
  void for_each_found(std::uint64_t hi, Use&& use) const noexcept;

  BlocksHeader header_;
  NameTable names_;
  const std::byte* blocks_;
  const std::byte* groups_;
  const std::byte* positions_;
  base::ByteView filters_;  ///< without the padding
};

}  // namespace crivo::filter_set
