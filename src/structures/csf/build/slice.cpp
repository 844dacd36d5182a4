// SPDX-License-Identifier: Apache-2.0
#include "structures/csf/build/slice.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"
#include "structures/csf/prefix_code.hpp"
#include "structures/csf/rows.hpp"
#include "structures/ribbon/build/band.hpp"
#include "structures/ribbon/build/lock_step.hpp"

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

namespace {

/// Fewer codeword bits than this go to the last layer at once: bumping would not pay for its
/// rounding.
constexpr std::uint64_t kLastLayerBits = 4096;
/// Sizes that the last layer tries.
constexpr unsigned kLastLayerAttempts = 64;

std::uint64_t bits_of(std::span<const Codeword> codes) {
  std::uint64_t bits = 0;
  for (const Codeword code : codes) bits += code.length;
  return bits;
}

/// The slots of a layer that bumps, a whole number of words, for n bits: n less an overload, the
/// part that will be bumped.
std::uint64_t bumping_slots(std::uint64_t bits, const Shape& shape) {
  const std::uint64_t divisor = shape.bucket_bits == 7 ? 10 : shape.bucket_bits == 8 ? 16 : 25;
  return (bits - bits / divisor + 32) / 64 * 64;
}

/// A key that its layer has no room for, with its hash as the next layer sees it.
struct Bumped {
  Hash128 hash;
  Codeword code;
};

/// A slice between two layers.
class SliceBuilder {
 public:
  SliceBuilder(const SliceInput& input, const Shape& shape)
      : keys_(input.keys), codes_(input.codes), shape_(shape) {}

  /// The layer to be eliminated next, or null if the keys left, if any, are for the last layer.
  CodeLayer* begin_layer() {
    const std::uint64_t bits = bits_of(codes_);
    if (bits < kLastLayerBits) return nullptr;
    layer_ = std::make_unique<CodeLayer>(keys_, codes_, bumping_slots(bits, shape_), shape_);
    return layer_.get();
  }

  /// Writes the eliminated layer and turns to the keys that it bumped.
  void end_layer() {
    layer_->band().solve();
    write(layer_->band().values(), layer_->slots(), layer_->thresholds());
    std::vector<Bumped> bumped;
    bumped.reserve(layer_->bumped().size());
    for (const std::uint64_t key : layer_->bumped()) bumped.push_back({next(key), codes_[key]});
    layer_.reset();
    turn_to(std::move(bumped));
  }

  /// Puts all keys that are left into the last layer, which grows until it holds them.
  SliceImage finish() {
    if (!keys_.empty()) {
      // Keys that reach it were bumped at least once, if only by a layer that is not there: so
      // hashes that agree in one half are told apart.
      if (layers_ == 0) {
        std::vector<Bumped> all;
        all.reserve(keys_.size());
        for (std::size_t key = 0; key < keys_.size(); ++key)
          all.push_back({next(key), codes_[key]});
        turn_to(std::move(all));
        layers_ = 1;
      }
      write_last_layer();
    }
    image_.body.insert(image_.body.end(), thresholds_.begin(), thresholds_.end());
    return std::move(image_);
  }

 private:
  Hash128 next(std::uint64_t key) const noexcept { return ribbon::next_layer(keys_[key]); }

  void turn_to(std::vector<Bumped> bumped) {
    std::ranges::sort(bumped, {}, &Bumped::hash);
    bumped_keys_.resize(bumped.size());
    bumped_codes_.resize(bumped.size());
    for (std::size_t i = 0; i < bumped.size(); ++i) {
      bumped_keys_[i] = bumped[i].hash;
      bumped_codes_[i] = bumped[i].code;
    }
    keys_ = bumped_keys_;
    codes_ = bumped_codes_;
  }

  void write_last_layer() {
    const std::uint64_t bits = bits_of(codes_);
    const std::uint64_t step = std::max<std::uint64_t>(64, bits / 32 / 64 * 64);
    std::uint64_t slots = base::align_up(std::max<std::uint64_t>(bits, shape_.least_slots()), 64);
    for (unsigned attempt = 0; attempt < kLastLayerAttempts; ++attempt, slots += step) {
      Band band(slots);
      const std::uint64_t starts = shape_.starts(slots);
      if (!insert_all(band, starts)) continue;
      band.solve();
      write(band.values(), slots, base::Bytes(shape_.threshold_bytes(starts)));
      return;
    }
    throw Error(
        ErrorKind::bad_input,
        "the hashes of the keys are not random enough for a ribbon; build with another seed",
        {.remedy = "keyed_hash"});
  }

  bool insert_all(Band& band, std::uint64_t starts) const {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const std::uint64_t start = ribbon::row_start(keys_[i], starts);
      const Uint128 row = band_row(keys_[i]);
      for (unsigned bit = 0; bit < codes_[i].length; ++bit) {
        const auto value = static_cast<std::uint8_t>((codes_[i].bits >> bit) & 1);
        if (!band.insert(start + bit, row, value)) return false;
      }
    }
    return true;
  }

  void write(const std::uint8_t* solution, std::uint64_t slots, const base::Bytes& thresholds) {
    const std::size_t at = image_.body.size();
    image_.body.resize(at + slots / 8);
    for (std::uint64_t i = 0; i < slots / 8; ++i) {
      // Each byte is 0 or 1; the product gathers them in its top byte.
      const auto eight = base::load_le<std::uint64_t>(solution + 8 * i) * 0x0102040810204080U;
      image_.body[at + i] = static_cast<std::byte>(eight >> 56);
    }
    thresholds_.insert(thresholds_.end(), thresholds.begin(), thresholds.end());
    image_.words[layers_++] = static_cast<std::uint32_t>(slots / 64);
  }

  std::span<const Hash128> keys_;
  std::span<const Codeword> codes_;
  Shape shape_;
  std::unique_ptr<CodeLayer> layer_;
  std::vector<Hash128> bumped_keys_;
  std::vector<Codeword> bumped_codes_;
  SliceImage image_;
  unsigned layers_ = 0;     // written
  base::Bytes thresholds_;  // of the layers so far
};

}  // namespace

std::vector<SliceImage> build_slices(std::span<const SliceInput> inputs, const Shape& shape) {
  std::vector<SliceBuilder> builders;
  for (const SliceInput& input : inputs) {
    builders.emplace_back(input, shape);
  }
  for (unsigned index = 0; index + 1 < kLayers; ++index) {
    std::vector<SliceBuilder*> busy;
    std::vector<CodeLayer*> layers;
    for (SliceBuilder& builder : builders) {
      CodeLayer* layer = builder.begin_layer();
      if (layer == nullptr) continue;
      busy.push_back(&builder);
      layers.push_back(layer);
    }
    ribbon::eliminate_together(layers,
                               [&] { return CodeLayer({}, {}, shape.least_slots(), shape); });
    for (SliceBuilder* builder : busy) builder->end_layer();
  }
  std::vector<SliceImage> images;
  images.reserve(builders.size());
  for (SliceBuilder& builder : builders) images.push_back(builder.finish());
  return images;
}

}  // namespace crivo::csf
