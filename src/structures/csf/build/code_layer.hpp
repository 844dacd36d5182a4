// SPDX-License-Identifier: Apache-2.0
/// The elimination of a layer of the one-bit ribbon: a codeword of l bits is l rows at consecutive
/// starts, and a key's rows are kept or bumped together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "structures/csf/prefix_code.hpp"
#include "structures/csf/rows.hpp"
#include "structures/ribbon/band.hpp"

namespace crivo::csf {

using ribbon::Uint128;
using Band = ribbon::Band<Uint128, std::uint8_t>;

/// The coefficients of a key's rows, coefficient j in bit j.
inline Uint128 band_row(Hash128 hash) noexcept {
  const Coefficients row = coefficients(hash);
  return Uint128{reversed(row.second)} << 64 | reversed(row.first);
}

/// A layer with fewer slots than codeword bits. Its keys are inserted bucket by bucket, in each
/// from the highest start to the lowest, a key's rows likewise; the first key with a row that fails
/// sets the bucket's threshold, and all below it are bumped.
class CodeLayer {
 public:
  /// A row that is being reduced. Coefficients of 0: no keys are left.
  struct Row {
    std::uint64_t slot;
    Uint128 coefficients;
    std::uint8_t value;
  };

  /// `keys` ascend, and have the hashes of this layer. They and `codes`, of 1 to shape.code_bits
  /// bits each, must outlive the layer. `slots` is at least shape.least_slots().
  CodeLayer(std::span<const Hash128> keys, std::span<const Codeword> codes, std::uint64_t slots,
            const Shape& shape)
      : keys_(keys),
        codes_(codes),
        slots_(slots),
        starts_(shape.starts(slots)),
        shape_(shape),
        band_(slots),
        thresholds_(shape.threshold_bytes(starts_)) {}

  Band& band() noexcept { return band_; }
  std::uint64_t slots() const noexcept { return slots_; }
  /// The threshold indices of the buckets, four to a byte.
  const std::vector<std::byte>& thresholds() const noexcept { return thresholds_; }
  /// The indices of the keys that were bumped, once all are inserted.
  const std::vector<std::uint64_t>& bumped() const noexcept { return bumped_; }

  /// The first row to insert.
  Row first() { return next_bucket(); }

  /// The row to insert after one that was placed at `slot`.
  [[gnu::always_inline]] inline Row placed(std::uint64_t slot) {
    pivots_[pivot_count_++] = slot;
    if (left_ != 0) {
      --left_;
      return {start_ + left_, row_, static_cast<std::uint8_t>((code_ >> left_) & 1)};
    }
    return next_key();
  }

  /// The row to insert after one that the rows before cancelled, with `value` left over: unless
  /// that is 0, the key cannot be kept.
  Row cancelled(std::uint8_t value) { return value == 0 ? placed(slots_) : bump(); }

 private:
  std::uint64_t start(std::uint64_t key) const noexcept {
    return ribbon::row_start(keys_[key], starts_);
  }

  std::uint64_t offset(std::uint64_t key) const noexcept {
    return start(key) - (bucket_ << shape_.bucket_bits);
  }

  Row next_key() {
    if (cursor_ == bucket_begin_) return next_bucket();
    --cursor_;
    start_ = start(cursor_);
    row_ = band_row(keys_[cursor_]);
    code_ = codes_[cursor_].bits;
    left_ = codes_[cursor_].length - 1U;
    return {start_ + left_, row_, static_cast<std::uint8_t>((code_ >> left_) & 1)};
  }

  [[gnu::noinline]] Row next_bucket() {
    bucket_begin_ = bucket_end_;
    if (bucket_begin_ == keys_.size()) return {slots_, 0, 0};  // the band's spare row
    bucket_ = start(bucket_begin_) >> shape_.bucket_bits;
    while (bucket_end_ < keys_.size() && start(bucket_end_) >> shape_.bucket_bits == bucket_)
      ++bucket_end_;
    cursor_ = bucket_end_;
    const std::uint64_t rows = (bucket_end_ - bucket_begin_) * shape_.code_bits;
    if (pivots_.size() < rows) pivots_.resize(rows);
    pivot_count_ = 0;
    return next_key();
  }

  /// A row of the key at the cursor failed: bumps it with all that its bucket's threshold then
  /// covers.
  [[gnu::noinline]] Row bump() {
    const std::uint64_t failed = offset(cursor_);
    const auto limits = csf::thresholds(shape_.bucket_bits);
    std::uint8_t index = 1;
    while (limits[index] <= failed) ++index;
    thresholds_[bucket_ / 4] |= std::byte{index} << (bucket_ % 4 * 2);
    remove_rows(codes_[cursor_].length - 1U - left_);
    std::uint64_t kept = cursor_ + 1;
    for (; kept < bucket_end_ && offset(kept) < limits[index]; ++kept) {
      remove_rows(codes_[kept].length);
    }
    for (std::uint64_t key = bucket_begin_; key < kept; ++key) bumped_.push_back(key);
    return next_bucket();
  }

  /// Takes back the last `count` rows, on which no row before them depends.
  void remove_rows(unsigned count) {
    for (; count > 0; --count) {
      const std::uint64_t pivot = pivots_[--pivot_count_];
      band_.coefficients()[pivot] = 0;
      band_.values()[pivot] = 0;
    }
  }

  std::span<const Hash128> keys_;
  std::span<const Codeword> codes_;
  std::uint64_t slots_;
  std::uint64_t starts_;
  Shape shape_;
  Band band_;
  std::vector<std::byte> thresholds_;
  std::vector<std::uint64_t> bumped_;
  // The key at the cursor: its rows after the first `left_` are in the band, or on their way.
  std::uint64_t start_ = 0;
  Uint128 row_ = 0;
  std::uint32_t code_ = 0;
  unsigned left_ = 0;
  // The current bucket: its keys after the cursor are in the band.
  std::uint64_t bucket_ = 0;
  std::uint64_t bucket_begin_ = 0;
  std::uint64_t bucket_end_ = 0;
  std::uint64_t cursor_ = 0;
  std::vector<std::uint64_t> pivots_;  // of the bucket's rows in the band, in order of insertion
  std::size_t pivot_count_ = 0;
};

}  // namespace crivo::csf
