// SPDX-License-Identifier: Apache-2.0
/// The form for sets of fewer keys than kSmallSetKeys: one layer that bumps nothing, solved with
/// the first of 64 seeds that works (build/small_set.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/ribbon/header.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::ribbon {

/// How keys' hashes become rows.
class SmallRows {
 public:
  SmallRows(HashPart part, unsigned seed, std::uint64_t slots) noexcept
      : factor_(seed_factor(seed)),
        first_half_(part == HashPart::whole ? ~std::uint64_t{0} : 0),
        starts_(small_starts(slots)),
        kept_(slots < kBandBits ? (std::uint64_t{1} << slots) - 1 : ~std::uint64_t{0}) {}

  /// A hash of the key with that hash; of a filter's, (hi, hi).
  [[gnu::always_inline]] inline std::uint64_t mixed(std::uint64_t hi,
                                                    std::uint64_t lo) const noexcept {
    const std::uint64_t sum = lo * factor_ + (hi & first_half_);
    return (sum ^ sum >> 32) * kSmallFactor;
  }
  /// The block that the row begins with.
  [[gnu::always_inline]] inline std::uint64_t start(std::uint64_t mixed) const noexcept {
    return base::mulhi(mixed, starts_);
  }
  /// The slots from there on, of which there may be fewer than 64.
  [[gnu::always_inline]] inline std::uint64_t taken(std::uint64_t mixed) const noexcept {
    return coefficients(mixed) & kept_;
  }
  std::uint64_t starts() const noexcept { return starts_; }

 private:
  std::uint64_t factor_;
  std::uint64_t first_half_;  ///< the bits of it that count
  std::uint64_t starts_;
  std::uint64_t kept_;  ///< coefficients
};

/// Finds rows in such a section, which must outlive it.
class SmallSet {
 public:
  using Row = ribbon::Row;

  /// Opens a set that is not empty, all of whose section is touched. Throws Error(corrupt) unless
  /// that has the length that its header asks for.
  SmallSet(const Header& header, const base::CheckedBytes& section);

  const Width& width() const noexcept { return width_; }

  /// True; sets `row` to that of the key with the hash (hi, lo). `kNarrow` (whether there may be
  /// narrow blocks) and `width` are the set's.
  template <bool kNarrow>
  [[gnu::always_inline]] inline bool find_first(std::uint64_t hi, std::uint64_t lo, unsigned width,
                                                Row& row) const noexcept {
    const std::uint64_t mixed = rows_.mixed(hi, lo);
    place_row<kNarrow>(slots_, rows_.start(mixed), rows_.taken(mixed), width, narrow_blocks_, row);
    return true;
  }
  /// Never called: nothing is bumped.
  Row find_anywhere(Hash128) const noexcept { return {slots_, 0, width_.bits, kRowBlocks}; }

 private:
  const std::byte* slots_;
  SmallRows rows_;
  std::uint64_t narrow_blocks_;
  Width width_;
  /// The slots, where they are fewer than a row takes, and zeros in the place of more. Copies share
  /// it.
  std::shared_ptr<const base::Bytes> whole_row_;
};

}  // namespace crivo::ribbon
