// SPDX-License-Identifier: Apache-2.0
/// Writing the list of flips that structures/exact/flip_list.hpp reads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "structures/exact/flip_list.hpp"
#include "structures/exact/flip_table.hpp"

namespace crivo::exact {

/// The cells of flips, as a bitmap before what is exact.
class FlipPlaces {
 public:
  FlipPlaces(std::span<const GroupedKey> flips, std::span<const FlipGroup> groups,
             std::uint64_t known)
      : places_(known, FlipTable::kNone) {
    std::uint64_t bits = 0;
    std::size_t begin = 0;
    for (const FlipGroup& group : groups) {
      places_[group.number] = static_cast<std::uint32_t>(pieces_.size());
      const auto size = static_cast<unsigned>(std::bit_width(group.flips));
      GroupFlips piece{bits, begin, begin + group.flips, std::min(size + 4, group.cell_bits),
                       group.cell_bits};
      bits += std::uint64_t{1} << piece.bits;
      bitmap_.resize(base::div_ceil(bits, 64));
      for (; begin < piece.end; ++begin) {
        const std::uint64_t hi = flips[begin].hash.hi;
        const std::uint64_t bit = piece.first_bit + base::top_bits(hi, piece.bits);
        bitmap_[bit / 64] |= std::uint64_t{1} << (bit % 64);
        cells_.push_back(base::top_bits(hi, piece.cell_bits));
      }
      pieces_.push_back(piece);
    }
  }

  /// Whether a key of a group shares a cell with a flip of it.
  bool has(std::uint64_t group, std::uint64_t hi) const noexcept {
    const std::uint32_t place = places_[group];
    if (place == FlipTable::kNone) return false;
    const GroupFlips& piece = pieces_[place];
    const std::uint64_t bit = piece.first_bit + base::top_bits(hi, piece.bits);
    if ((bitmap_[bit / 64] >> (bit % 64) & 1) == 0) return false;
    const auto cells = std::span(cells_).subspan(piece.begin, piece.end - piece.begin);
    return std::ranges::binary_search(cells, base::top_bits(hi, piece.cell_bits));
  }

 private:
  struct GroupFlips {
    std::uint64_t first_bit;
    std::size_t begin;
    std::size_t end;
    unsigned bits;
    unsigned cell_bits;
  };
  std::vector<std::uint32_t> places_;
  std::vector<GroupFlips> pieces_;
  std::vector<std::uint64_t> bitmap_;
  std::vector<std::uint64_t> cells_;
};

/// The cells of a group with so many keys in the universe, as a power of two.
unsigned cell_bits_for(std::uint64_t keys, std::uint64_t flips) noexcept;

/// The bits of a list. `flips` are distinct and ascend; so do `others`, which have all other keys
/// of the universe that share a cell with a flip, and may have the flips and more. `groups` are
/// those of the flips, in order. Throws Error(bad_input) if two keys cannot be told apart. O(2000
/// flips), on all threads.
base::Bytes encode_flips(std::span<const GroupedKey> flips, std::span<const GroupedKey> others,
                         std::span<const FlipGroup> groups, unsigned threads);

}  // namespace crivo::exact
