// SPDX-License-Identifier: Apache-2.0
/// The elimination of a layer that bumps (Dillinger, Huebschle-Schneider, Sanders, Walzer, "Fast
/// succinct retrieval and approximate membership using ribbon", SEA 2022).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hashing/hash128.hpp"
#include "structures/ribbon/band.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::ribbon {

/// A key that its layer has no room for, with its hash as the next layer sees it.
template <typename Value>
struct Bumped {
  Hash128 hash;
  Value value;
};

/// A layer with fewer slots than keys. Its keys are inserted bucket by bucket, in each from the
/// highest start to the lowest; the first that fails sets the bucket's threshold, and all below it
/// are bumped.
template <typename Value, const Shape& kShape>
class BumpingLayer {
 public:
  /// A key's row, not yet reduced. Coefficients of 0: no keys are left.
  struct Row {
    std::uint64_t slot;
    Coefficients<kShape> coefficients;
    Value value;
  };

  /// `keys` ascend by `hi`, of which the first `shift` bits are the same in all. They and `values`
  /// must outlive the layer, as must `band`, which it begins anew. `slots` is a multiple of 8, and
  /// as many as a row takes at least. If `by_first_halves`, the second halves of the hashes are
  /// taken to be like the first.
  BumpingLayer(std::span<const Hash128> keys, const Value* values, unsigned shift,
               std::uint64_t slots, bool by_first_halves, Band<Coefficients<kShape>, Value>& band)
      : keys_(keys),
        values_(values),
        shift_(shift),
        by_first_halves_(by_first_halves),
        slots_(slots),
        starts_(kShape.layer_starts(slots)),
        band_(band),
        thresholds_(kShape.threshold_bytes(starts_)) {
    band_.begin(slots);
  }

  Band<Coefficients<kShape>, Value>& band() noexcept { return band_; }
  std::uint64_t slots() const noexcept { return slots_; }
  /// The threshold indices of the buckets, four to a byte.
  const std::vector<std::byte>& thresholds() const noexcept { return thresholds_; }
  /// The keys that were bumped, once all are inserted.
  std::vector<Bumped<Value>>& bumped() noexcept { return bumped_; }

  /// The first row to insert.
  Row first() { return next_bucket(); }

  /// The row to insert after one that was placed at `slot`.
  [[gnu::always_inline]] inline Row placed(std::uint64_t slot) {
    pivots_[pivot_count_++] = slot;
    return next();
  }

  /// The row to insert after one that the rows before cancelled, with `value` left over: unless
  /// that is 0, the key cannot be kept.
  Row cancelled(Value value) { return value == 0 ? placed(slots_) : bump(); }

 private:
  static constexpr std::uint64_t kStarts = kShape.bucket_starts;

  std::uint64_t start(std::uint64_t key) const noexcept {
    return row_start(first_layer(keys_[key], shift_), starts_);
  }

  std::uint64_t offset(std::uint64_t key) const noexcept { return start(key) % kStarts; }

  [[gnu::always_inline]] inline Row next() {
    if (cursor_ == bucket_begin_) return next_bucket();
    --cursor_;
    return {kBlockSlots * start(cursor_), coefficients_of<kShape>(keys_[cursor_].hi),
            values_[cursor_]};
  }

  [[gnu::noinline]] Row next_bucket() {
    bucket_begin_ = bucket_end_;
    if (bucket_begin_ == keys_.size()) return {slots_, 0, 0};  // the band's spare row
    bucket_ = start(bucket_begin_) / kStarts;
    while (bucket_end_ < keys_.size() && start(bucket_end_) / kStarts == bucket_) ++bucket_end_;
    cursor_ = bucket_end_;
    if (pivots_.size() < bucket_end_ - bucket_begin_) pivots_.resize(bucket_end_ - bucket_begin_);
    pivot_count_ = 0;
    return next();
  }

  /// The key at the cursor failed: bumps it with all that its bucket's threshold then covers.
  [[gnu::noinline]] Row bump() {
    const std::uint64_t failed = offset(cursor_);
    std::uint8_t index = 1;
    while (kShape.thresholds[index] <= failed) ++index;
    thresholds_[bucket_ / 4] |= std::byte{index} << (bucket_ % 4 * 2);
    std::uint64_t kept = cursor_ + 1;
    while (kept < bucket_end_ && offset(kept) < kShape.thresholds[index]) {
      // No row before this one depends on it, so its row can simply go.
      const std::uint64_t pivot = pivots_[--pivot_count_];
      band_.coefficients()[pivot] = 0;
      band_.values()[pivot] = 0;
      ++kept;
    }
    for (std::uint64_t key = bucket_begin_; key < kept; ++key) {
      const Hash128 hash = by_first_halves_ ? of_filter(keys_[key]) : keys_[key];
      bumped_.push_back({next_layer(hash), values_[key]});
    }
    return next_bucket();
  }

  std::span<const Hash128> keys_;
  const Value* values_;
  unsigned shift_;
  bool by_first_halves_;
  std::uint64_t slots_;
  std::uint64_t starts_;
  Band<Coefficients<kShape>, Value>& band_;
  std::vector<std::byte> thresholds_;
  std::vector<Bumped<Value>> bumped_;
  // The current bucket: its keys from the cursor on are in the band.
  std::uint64_t bucket_ = 0;
  std::uint64_t bucket_begin_ = 0;
  std::uint64_t bucket_end_ = 0;
  std::uint64_t cursor_ = 0;
  std::vector<std::uint64_t>
      pivots_;  // of the bucket's keys in the band, in the order of insertion
  std::size_t pivot_count_ = 0;
};

}  // namespace crivo::ribbon
