// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/build/partition.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"
#include "hashing/hash128.hpp"
#include "structures/ribbon/build/band.hpp"
#include "structures/ribbon/build/columns.hpp"
#include "structures/ribbon/build/lock_step.hpp"
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

namespace {

/// Fewer keys than this go to the last layer at once: bumping would not pay for its rounding.
constexpr std::uint64_t kLastLayerKeys = 512;
/// Sizes that the last layer tries.
constexpr unsigned kLastLayerAttempts = 64;

/// In ascending order: by the first bits into as many parts as there are keys or so, which are then
/// sorted one by one.
template <typename Value>
std::vector<Bumped<Value>> sorted(const std::vector<Bumped<Value>>& bumped) {
  const auto bits = static_cast<unsigned>(std::bit_width(bumped.size() / 2));
  const auto part_of = [bits](const Bumped<Value>& one) {
    return base::top_bits(one.hash.hi, bits);
  };
  std::vector<std::uint32_t> begins((std::size_t{1} << bits) + 1);
  for (const auto& one : bumped) ++begins[part_of(one) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<Bumped<Value>> all(bumped.size());
  for (const auto& one : bumped) all[begins[part_of(one)]++] = one;
  auto begin = all.begin();
  for (const std::uint32_t end : begins) {  // by now of each part
    const auto part_end = all.begin() + end;
    if (part_end - begin > 1) {
      std::sort(begin, part_end, [](const auto& a, const auto& b) { return a.hash < b.hash; });
    }
    begin = part_end;
  }
  return all;
}

/// A partition between two layers.
template <typename Value, const Shape& kShape>
class PartitionBuilder {
 public:
  PartitionBuilder(const PartitionInput<Value>& input, const Header& header,
                   Band<Coefficients<kShape>, Value>& band)
      : keys_(input.keys), values_(input.values), header_(header), band_(band) {}

  /// The first layer, which every partition has.
  BumpingLayer<Value, kShape>* begin_first_layer() {
    layer_ = std::make_unique<BumpingLayer<Value, kShape>>(
        keys_, values_.data(), header_.partition_bits(), kShape.first_layer_slots(header_.n),
        header_.part == HashPart::first_half, band_);
    return layer_.get();
  }

  /// The layer to be eliminated next, or null if the keys left, if any, are for the last layer.
  BumpingLayer<Value, kShape>* begin_layer() {
    if (keys_.size() < kLastLayerKeys) return nullptr;
    layer_ = std::make_unique<BumpingLayer<Value, kShape>>(
        keys_, values_.data(), 0, kShape.bumping_slots(keys_.size()), false, band_);
    return layer_.get();
  }

  /// Writes the eliminated layer and turns to the keys that it bumped.
  void end_layer() {
    write(layer_->slots(), layer_->thresholds());
    const std::vector<Bumped<Value>> bumped = sorted(layer_->bumped());
    layer_.reset();
    bumped_keys_.resize(bumped.size());
    bumped_values_.resize(bumped.size());
    for (std::size_t i = 0; i < bumped.size(); ++i) {
      bumped_keys_[i] = bumped[i].hash;
      bumped_values_[i] = bumped[i].value;
    }
    keys_ = bumped_keys_;
    values_ = bumped_values_;
  }

  /// Puts all keys that are left into the last layer, which grows until it holds them.
  base::Bytes finish() {
    if (!keys_.empty()) write_last_layer();
    return std::move(body_);
  }

 private:
  void write_last_layer() {
    const std::uint64_t step = kBlockSlots * std::max<std::uint64_t>(1, keys_.size() / 256);
    std::uint64_t slots = kShape.slots_of_blocks(base::div_ceil(keys_.size(), kBlockSlots));
    for (unsigned attempt = 0; attempt < kLastLayerAttempts; ++attempt, slots += step) {
      band_.begin(slots);
      if (!insert_all(kShape.layer_starts(slots))) continue;
      write(slots, base::Bytes(kShape.threshold_bytes(kShape.layer_starts(slots))));
      return;
    }
    throw Error(
        ErrorKind::bad_input,
        "the hashes of the keys are not random enough for a ribbon; build with another seed",
        {.remedy = "keyed_hash"});
  }

  bool insert_all(std::uint64_t starts) {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const std::uint64_t slot = kBlockSlots * row_start(keys_[i], starts);
      if (!band_.insert(slot, coefficients_of<kShape>(keys_[i].hi), values_[i])) return false;
    }
    return true;
  }

  /// Solves the band of the layer, which has `slots` slots, and writes it.
  void write(std::uint64_t slots, const base::Bytes& thresholds) {
    if (layers_ != 0) {
      const auto blocks = static_cast<std::uint32_t>(slots / kBlockSlots);
      base::store_le(body_.data() + further_layers_ + 4 * (layers_ - 1), blocks);
    }
    const std::uint64_t narrow_blocks = header_.width.narrow_blocks(kShape.layer_starts(slots));
    const LayerForm form{header_.width.bits, slots, narrow_blocks};
    append_solution(band_, form, base::cpu(), body_);
    body_.insert(body_.end(), thresholds.begin(), thresholds.end());
    if (layers_++ != 0) return;
    further_layers_ = body_.size();
    body_.resize(body_.size() + kFurtherLayersBytes);
  }

  std::span<const Hash128> keys_;
  std::span<const Value> values_;
  const Header& header_;
  Band<Coefficients<kShape>, Value>& band_;
  std::unique_ptr<BumpingLayer<Value, kShape>> layer_;
  std::vector<Hash128> bumped_keys_;
  std::vector<Value> bumped_values_;
  base::Bytes body_;
  unsigned layers_ = 0;               // written
  std::uint64_t further_layers_ = 0;  // where the body says what there are
};

}  // namespace

template <typename Value, const Shape& kShape>
std::vector<base::Bytes> build_partitions(std::span<const PartitionInput<Value>> inputs,
                                          const Header& header, Bands<Value, kShape>& bands) {
  std::vector<PartitionBuilder<Value, kShape>> builders;
  for (const auto& input : inputs) builders.emplace_back(input, header, bands[builders.size()]);
  for (unsigned index = 0; index + 1 < kLayers; ++index) {
    std::vector<PartitionBuilder<Value, kShape>*> busy;
    std::vector<BumpingLayer<Value, kShape>*> layers;
    for (auto& builder : builders) {
      BumpingLayer<Value, kShape>* layer =
          index == 0 ? builder.begin_first_layer() : builder.begin_layer();
      if (layer == nullptr) continue;
      busy.push_back(&builder);
      layers.push_back(layer);
    }
    Band<Coefficients<kShape>, Value> idle;
    eliminate_together(layers, [&] {
      return BumpingLayer<Value, kShape>({}, nullptr, 0, kShape.band_bits, false, idle);
    });
    for (PartitionBuilder<Value, kShape>* builder : busy) builder->end_layer();
  }
  std::vector<base::Bytes> bodies;
  bodies.reserve(builders.size());
  for (auto& builder : builders) bodies.push_back(builder.finish());
  return bodies;
}

template std::vector<base::Bytes> build_partitions<std::uint8_t, kUsualRows>(
    std::span<const PartitionInput<std::uint8_t>>, const Header&, Bands<std::uint8_t, kUsualRows>&);
template std::vector<base::Bytes> build_partitions<std::uint8_t, kLongRows>(
    std::span<const PartitionInput<std::uint8_t>>, const Header&, Bands<std::uint8_t, kLongRows>&);
template std::vector<base::Bytes> build_partitions<std::uint16_t, kUsualRows>(
    std::span<const PartitionInput<std::uint16_t>>, const Header&,
    Bands<std::uint16_t, kUsualRows>&);
template std::vector<base::Bytes> build_partitions<std::uint32_t, kUsualRows>(
    std::span<const PartitionInput<std::uint32_t>>, const Header&,
    Bands<std::uint32_t, kUsualRows>&);
template std::vector<base::Bytes> build_partitions<std::uint64_t, kUsualRows>(
    std::span<const PartitionInput<std::uint64_t>>, const Header&,
    Bands<std::uint64_t, kUsualRows>&);

}  // namespace crivo::ribbon
