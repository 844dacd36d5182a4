// SPDX-License-Identifier: Apache-2.0
/// How a key's hash becomes an equation of a ribbon: where its row starts, which slots it takes,
/// and how the hash changes from one layer to the next. formats/ribbon.md specifies all of it.
///
/// Where the row of a key lies in the bytes of a section.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/arithmetic.hpp"
#include "crivo/detail/filter_lookup.hpp"
#include "hashing/hash128.hpp"

namespace crivo::ribbon {

__extension__ using Uint128 = unsigned __int128;

/// The coefficients of a row, but of long ones.
inline constexpr unsigned kBandBits = 64;
/// A row begins with a block of this many slots, so that its coefficients are bytes, one for each
/// of kRowBlocks blocks.
inline constexpr unsigned kBlockSlots = 8;
inline constexpr unsigned kRowBlocks = kBandBits / kBlockSlots;
/// Layers of a partition at most. The last one that has slots bumps nothing.
inline constexpr unsigned kLayers = 4;
/// Sets of fewer keys take the small-set form: it needs more space from here on, and is quicker.
inline constexpr std::uint64_t kSmallSetKeys = 4'096;
/// Solutions that the small-set form may try.
inline constexpr unsigned kSmallSetSeeds = 64;
/// An odd number without a pattern, with which the small-set form multiplies what is to be mixed.
inline constexpr std::uint64_t kSmallFactor = 0xd6e8feb86659fd93U;

/// The partitioned form, as the length of its rows makes it.
struct Shape {
  unsigned band_bits;  ///< coefficients of a row
  /// Starts in a bucket, the unit that a threshold speaks for.
  unsigned bucket_starts;
  /// A key is bumped if its start's offset in the bucket is below the bucket's threshold. A bucket
  /// stores the index of its threshold here, in two bits.
  std::array<std::uint8_t, 4> thresholds;
  std::uint64_t partition_keys;  ///< at most, in the mean

  constexpr unsigned row_blocks() const noexcept { return band_bits / kBlockSlots; }

  /// 2^bits partitions for a set of n keys.
  constexpr unsigned partition_bits(std::uint64_t n) const noexcept {
    unsigned bits = 0;
    while ((n >> bits) > partition_keys && bits < 32) ++bits;
    return bits;
  }
  /// The slots of so many blocks, or of as many as a row needs.
  constexpr std::uint64_t slots_of_blocks(std::uint64_t blocks) const noexcept {
    return kBlockSlots * (blocks < row_blocks() ? row_blocks() : blocks);
  }
  /// The slots of a layer that bumps, made for so many keys: n (1 - 4 / L), to the nearest block.
  constexpr std::uint64_t bumping_slots(std::uint64_t keys) const noexcept {
    return slots_of_blocks((keys - keys / (band_bits / 4) + kBlockSlots / 2) / kBlockSlots);
  }
  /// The slots of the first layer of each partition: they follow from n alone, so that a lookup
  /// finds a row without a table of sizes.
  constexpr std::uint64_t first_layer_slots(std::uint64_t n) const noexcept {
    return bumping_slots(n >> partition_bits(n));
  }
  /// The starts that rows can have in a layer of `slots` slots (0, or as many as a row takes, or
  /// more): blocks.
  constexpr std::uint64_t layer_starts(std::uint64_t slots) const noexcept {
    return slots == 0 ? 0 : slots / kBlockSlots - row_blocks() + 1;
  }
  /// The bytes of a layer's thresholds.
  constexpr std::uint64_t threshold_bytes(std::uint64_t starts) const noexcept {
    return base::div_ceil(starts, std::uint64_t{4} * bucket_starts);
  }
};

/// At most 2^16.5 keys a partition, so that the keys which a thread has in work at once, those of
/// some partitions in lock step, take a few megabytes. For that each partition has some 16 slots
/// and 20 to 30 bytes at its ends.
inline constexpr Shape kUsualRows{kBandBits, 16, {0, 2, 5, 16}, 92'681};
/// The rows of values of one bit, of which thresholds of short rows are 1.6 %, and these 0.4 %:
/// rows of twice the length allow buckets of four times as many starts. So the ends of a partition
/// count too, and it has more keys.
inline constexpr Shape kLongRows{128, 64, {0, 4, 12, 64}, 524'288};

/// The slots of the small-set form for n keys: 1 / 40 more, and at least two, in whole blocks. Half
/// of all seeds or so can be solved.
constexpr std::uint64_t small_slots(std::uint64_t n) noexcept {
  return n == 0 ? 0 : kBlockSlots * base::div_ceil(n + n / 40 + 2, kBlockSlots);
}

/// The starts that rows can have in a small set of `slots` slots (0 or a multiple of kBlockSlots):
/// blocks. With fewer than 64 slots rows are cut off.
constexpr std::uint64_t small_starts(std::uint64_t slots) noexcept {
  return kUsualRows.layer_starts(slots != 0 && slots < kBandBits ? kBandBits : slots);
}

/// Returns the hash by which a filter knows a key: all that it looks at is the first half.
constexpr Hash128 of_filter(Hash128 hash) noexcept {
  return {hash.hi, hash.hi};
}

/// The hash of a key in the first layer of its partition: the partition's bits are shifted out.
constexpr Hash128 first_layer(Hash128 hash, unsigned partition_bits) noexcept {
  return {hash.hi << partition_bits, hash.lo};
}

/// The hash of a bumped key in the next layer. A bijection, so distinct keys stay distinct, whose
/// halves each depend on both halves of `hash`.
constexpr Hash128 next_layer(Hash128 hash) noexcept {
  const std::uint64_t hi = base::mix64(hash.hi ^ base::mix64(hash.lo + 0x9e3779b97f4a7c15U));
  return {hi, base::mix64(hash.lo + hi)};
}

/// Returns the factor of second halves of hashes in the small-set form with a seed. Odd.
constexpr std::uint64_t seed_factor(unsigned seed) noexcept {
  return base::mix64(seed + 0x9e3779b97f4a7c15U) | 1;
}

/// The start of a row among `starts`: ascending in `hi`.
inline std::uint64_t row_start(Hash128 hash, std::uint64_t starts) noexcept {
  return base::mulhi(hash.hi, starts);
}

/// Bit t is set if the row takes the slot t after its start's first, in the layer that sees the
/// key's hash as (hi, ...). Bit 0 always is.
constexpr std::uint64_t coefficients(std::uint64_t hi) noexcept {
  return (hi * detail::kRowFactor) | 1;
}

/// The same of the 128 coefficients of a long row, in two halves.
struct LongCoefficients {
  std::uint64_t first;
  std::uint64_t last;
};
constexpr LongCoefficients long_coefficients(std::uint64_t hi) noexcept {
  const std::uint64_t product = hi * detail::kRowFactor;
  return {product | 1, (product ^ product >> 32) * kSmallFactor};
}

/// An unsigned number that holds the coefficients of a row.
template <const Shape& kShape>
using Coefficients = std::conditional_t<kShape.band_bits == kBandBits, std::uint64_t, Uint128>;

template <const Shape& kShape>
constexpr Coefficients<kShape> coefficients_of(std::uint64_t hi) noexcept {
  if constexpr (kShape.band_bits == kBandBits) {
    return coefficients(hi);
  } else {
    const LongCoefficients row = long_coefficients(hi);
    return Uint128{row.last} << 64 | row.first;
  }
}

/// Eight blocks, and the slots in them that the row takes: byte i of the coefficients for block i.
struct Row {
  const std::byte* block;  ///< the first
  std::uint64_t coefficients;
  unsigned width;  ///< bits of the key's value: columns of the first block
  /// Blocks that have `width` columns: the first, or all of them. Each other has one more.
  unsigned even;
};

/// A row of long ones, whose values have one bit: byte i of the coefficients for byte i from there.
struct LongRow {
  static constexpr unsigned width = 1;  // NOLINT(*-identifier-naming): what Row calls it

  const std::byte* block;
  LongCoefficients coefficients;
};

/// The bytes of the blocks that a row takes.
[[gnu::always_inline]] inline std::uint64_t bytes_of(const Row& row) noexcept {
  return std::uint64_t{kRowBlocks} * row.width + (kRowBlocks - row.even);
}
[[gnu::always_inline]] inline std::uint64_t bytes_of(const LongRow&) noexcept {
  return kLongRows.row_blocks();
}

template <const Shape& kShape>
using RowOf = std::conditional_t<kShape.band_bits == kBandBits, Row, LongRow>;

/// Sets `row` to that of a key whose row begins with block `start` of those at `slots`. `width` and
/// `narrow_blocks` are theirs; only if `kNarrow` may there be any of the latter.
template <bool kNarrow>
[[gnu::always_inline]] inline void place_row(const std::byte* slots, std::uint64_t start,
                                             std::uint64_t row_coefficients, unsigned width,
                                             std::uint64_t narrow_blocks, Row& row) noexcept {
  row.block = slots + start * width;
  row.coefficients = row_coefficients;
  row.width = width;
  row.even = kRowBlocks;
  if constexpr (kNarrow) {
    // By arithmetic, as no processor could guess whether a row is narrow.
    const std::uint64_t left = narrow_blocks - start;
    const std::uint64_t is_narrow = (start - narrow_blocks) >> 63;
    row.block -= narrow_blocks - (left & (0 - is_narrow));
    row.width -= static_cast<unsigned>(is_narrow);
    if (left - 1 < kRowBlocks - 1) [[unlikely]]
      row.even = static_cast<unsigned>(left);
  }
}

}  // namespace crivo::ribbon
