// SPDX-License-Identifier: Apache-2.0
/// Thousands of small filters, one a group, which one hash of a key asks (formats/filterset.md).
///
///     groups    header 64 | places of cells | places of groups | cells | bits of groups | names
///     filters   the cells of all groups, behind each other | padding
///
///     group ──▶ its 2^b cells ──▶ that of the key's first b bits ──▶ its filter
///
/// A cell's filter is a ribbon, a fuse graph, or a Bloom filter.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/filter_set/header.hpp"
#include "structures/filter_set/name_table.hpp"
#include "structures/ribbon/kernels.hpp"

namespace crivo::filter_set {

/// The number that a chain gives a group of a layer that was removed.
inline constexpr std::uint64_t kNoGroup = UINT64_MAX;

/// Such a pair of sections, which must outlive it. Immutable; safe for any number of threads.
/// Whatever the bytes hold, no byte outside them is read.
class GroupedFilters {
 public:
  /// Throws Error(corrupt) unless the sections have the lengths that their header asks for. O(1).
  GroupedFilters(base::ByteView groups, base::ByteView filters);

  const Header& header() const noexcept { return header_; }
  /// Throws Error(corrupt) unless all names and places are sound. O(groups + cells).
  void check() const;

  /// The name of a group, whose number is below header().groups: they ascend, byte by byte.
  std::string_view name(std::uint64_t group) const noexcept { return names_.name(group); }
  /// The number of the group of that name. O(log groups).
  std::optional<std::uint64_t> find(std::string_view name) const noexcept {
    return names_.find(name);
  }

  /// answers[i]: whether the group may hold the key with hashes[i], of which the first half counts.
  void contains(std::uint64_t group, std::span<const Hash128> hashes, bool* answers) const noexcept;

  /// Sets bit g % 64 of bitmaps[i * words + g / 64] where group g may hold hashes[i]. With
  /// `numbers` a group has that of its own in its place, or kNoGroup.
  void groups_of(std::span<const Hash128> hashes, std::uint64_t* bitmaps, std::size_t words,
                 const std::uint64_t* numbers = nullptr) const noexcept;
  /// Adds to counts[g] how many of the hashes group g may hold, by numbers as above.
  void count(std::span<const Hash128> hashes, std::uint32_t* counts,
             const std::uint64_t* numbers = nullptr) const noexcept;

  /// The filter of a group as it is: its cells, and their bytes.
  struct Filter {
    unsigned bits = 0;
    std::vector<Cell> cells{};
    base::ByteView bytes{};
  };
  /// Throws Error(corrupt) unless all of it is there.
  Filter filter(std::uint64_t group) const;
  /// The bytes of a group's filter. Throws Error(corrupt).
  std::uint64_t size_of(std::uint64_t group) const { return filter(group).bytes.size(); }

 private:
  /// Where the cells of a group are: from the one of this number on.
  struct Cells {
    std::uint64_t first = 0;
    unsigned bits = 0;
  };
  /// Where a key's answer is: the row of a ribbon, or the bytes of the others in its terms. Of a
  /// graph `width` is kGraphRow and the bits of a segment, `coefficients` the first slot, and
  /// `even` the seed.
  static constexpr unsigned kGraphRow = 64;
  struct Block;
  struct Batch;
  /// A cell, and where it begins.
  struct Cursor {
    std::uint64_t cell = 0;
    std::uint64_t at = 0;
  };
  /// The parts of a key's row, for each seed of a cell.
  using Mixed = std::array<std::uint64_t, ribbon::kSmallSetSeeds>;
  /// Where it is put down that a group may hold a key: as a bit of its bitmap, or in a count.
  struct Answers {
    std::uint64_t* bitmaps = nullptr;
    std::size_t words = 0;
    std::uint32_t* counts = nullptr;
    const std::uint64_t* numbers = nullptr;

    void add(std::size_t key, std::uint64_t group) const noexcept;
  };

  std::uint64_t units(std::uint64_t cell) const noexcept {
    return base::load_le<std::uint16_t>(cells_ + kCellBytes * cell);
  }
  unsigned seed(std::uint64_t cell) const noexcept {
    return std::to_integer<unsigned>(cells_[kCellBytes * cell + 2]) % ribbon::kSmallSetSeeds;
  }
  unsigned bits(std::uint64_t group) const noexcept {
    return std::to_integer<unsigned>(bits_[group]);
  }
  Cells cells_of(std::uint64_t group) const noexcept;
  /// Where a cell begins among the filters.
  std::uint64_t place_of(std::uint64_t cell) const noexcept;
  /// Numbers that follow from the units of a cell: of a ribbon its starts, and those of narrow
  /// rows; of a graph the slots that may be a key's first, and the bits of a segment.
  struct Shape {
    std::uint64_t bytes;
    std::uint64_t starts = 0;
    std::uint64_t narrow = 0;
    unsigned segment_bits = 0;
  };
  template <Type kType>
  Shape shape(std::uint64_t units) const noexcept;
  /// Whether all bytes of a cell are among the filters, and it is not empty.
  bool is_whole(std::uint64_t at, const Shape& shape) const noexcept {
    return shape.bytes != 0 && at <= filters_bytes_ && shape.bytes <= filters_bytes_ - at;
  }

  /// `mixed` is that of the seed.
  template <Type kType>
  ribbon::Row place(std::uint64_t at, std::uint64_t units, const Shape& shape, unsigned seed,
                    std::uint64_t mixed, std::uint64_t hi, unsigned bits) const noexcept;
  template <Type kType>
  void prefetch(const ribbon::Row& row, std::uint64_t hi) const noexcept;
  bool passes_graph(const ribbon::Row& row, std::uint64_t hi) const noexcept;
  template <Type kType>
  bool passes(const ribbon::Row& row, std::uint64_t hi) const noexcept;
  template <Type kType>
  void ask(std::uint64_t group, std::span<const Hash128> hashes, bool* answers) const noexcept;
  template <Type kType>
  void go_on(Block& block, Cursor& cursor) const noexcept;
  template <Type kType>
  void find_rows(const Block& block, std::uint64_t hi, const Mixed& mixed,
                 Batch& batch) const noexcept;
  template <Type kType>
  void answer(const Batch& batch, std::uint64_t hi, const Answers& answers) const noexcept;
  /// Asks all groups for 1 to kKeys keys.
  template <Type kType>
  void ask_some(std::span<const Hash128> hashes, const Answers& answers) const noexcept;
  void ask_all(std::span<const Hash128> hashes, const Answers& answers) const noexcept;

  Header header_;
  NameTable names_;
  const std::byte* cell_places_;
  const std::byte* group_places_;
  const std::byte* cells_;
  const std::byte* bits_;
  const std::byte* filters_;
  std::uint64_t filters_bytes_;  ///< without the padding
  ribbon::Kernel kernel_{};
};

}  // namespace crivo::filter_set
