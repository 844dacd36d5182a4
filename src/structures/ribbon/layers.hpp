// SPDX-License-Identifier: Apache-2.0
/// Finds rows in a section of the partitioned form.
#pragma once

#include <cstdint>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "base/page_checks.hpp"
#include "hashing/hash128.hpp"
#include "structures/ribbon/header.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::ribbon {

/// The layers of all partitions, resting on bytes that must outlive them. Nothing in a partition is
/// trusted: any row lies within those bytes, and so do kEndPadding bytes after it. If the bytes
/// have checks, lookups touch what they read.
template <const Shape& kShape>
class LayersOf {
 public:
  using Row = RowOf<kShape>;

  /// Those of a section with that header, which is not of the small-set form. Throws Error(corrupt)
  /// if the section cannot hold them. O(1): partitions are looked at by lookups.
  LayersOf(const Header& header, const base::CheckedBytes& section);

  const Width& width() const noexcept { return width_; }

  /// Whether the first layer holds the key with that hash, and nothing is left to be touched; if
  /// so, `row` is its row. `kNarrow` (whether there may be narrow blocks) and `width` are those of
  /// the layers, which kernels know better.
  template <bool kNarrow>
  [[gnu::always_inline]] inline bool find_first(std::uint64_t hi, std::uint64_t, unsigned width,
                                                Row& row) const noexcept {
    const std::byte* const entry = entry_of(hi);
    const auto offset = base::load_le<std::uint64_t>(entry);
    if (offset > last_body_) [[unlikely]]
      return false;
    const std::byte* thresholds = nullptr;
    return find_in<kNarrow>(first_layer(offset), hi << partition_bits_, hi, width, row,
                            thresholds) &&
           pages_.are_settled(entry, thresholds, row.block, row.block + bytes_of(row) - 1);
  }
  /// The row of any key; if no layer holds it, one with value 0.
  Row find_anywhere(Hash128 hash) const noexcept;

 private:
  struct Layer {
    const std::byte* slots;       // blocks
    const std::byte* thresholds;  // two bits a bucket
    std::uint64_t starts;
    std::uint64_t narrow_blocks;
  };

  static constexpr std::uint64_t kStarts = kShape.bucket_starts;
  /// Returns the row of a key that no layer holds.
  Row nowhere() const noexcept;

  /// The entry of the key's partition in the table: where its body begins.
  const std::byte* entry_of(std::uint64_t hi) const noexcept {
    return table_ + kTableEntryBytes * base::top_bits(hi, partition_bits_);
  }
  Layer first_layer(std::uint64_t offset) const noexcept {
    const std::byte* const body = section_ + offset;
    return {body, body + thresholds_, starts_, narrow_blocks_};
  }

  /// Whether the layer holds the key that it sees as (hi, ...), by the byte `thresholds`; if so,
  /// `row` is its row there. `place` is hi without the bits that all keys of the partition have.
  template <bool kNarrow>
  [[gnu::always_inline]] static inline bool find_in(const Layer& layer, std::uint64_t place,
                                                    std::uint64_t hi, unsigned width, Row& row,
                                                    const std::byte*& thresholds) noexcept {
    const std::uint64_t start = base::mulhi(place, layer.starts);
    thresholds = layer.thresholds + start / (4 * kStarts);
    const auto four = std::to_integer<unsigned>(*thresholds);
    const unsigned threshold = kShape.thresholds[(four >> (start / kStarts % 4 * 2)) & 3];
    if constexpr (&kShape == &kLongRows) {
      row = {layer.slots + start, long_coefficients(hi)};
    } else {
      place_row<kNarrow>(layer.slots, start, coefficients(hi), width, layer.narrow_blocks, row);
    }
    return start % kStarts >= threshold;
  }

  const std::byte* section_;
  const std::byte* table_;
  std::uint64_t last_body_;  // where the last one may begin whose first layer ends before the table
  std::uint64_t starts_;     // of a first layer, as are the next two
  std::uint64_t narrow_blocks_;
  std::uint64_t thresholds_;  // from a body's begin
  unsigned partition_bits_;
  Width width_;
  base::Pages pages_;
};

extern template class LayersOf<kUsualRows>;
extern template class LayersOf<kLongRows>;
using Layers = LayersOf<kUsualRows>;
using LongLayers = LayersOf<kLongRows>;

}  // namespace crivo::ribbon
