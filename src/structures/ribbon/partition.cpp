#include "structures/ribbon/partition.hpp"

#include <algorithm>
#include <memory>

#include "bits/arithmetic.hpp"
#include "crivo/error.hpp"
#include "structures/ribbon/band.hpp"
#include "structures/ribbon/bumping_layer.hpp"
#include "structures/ribbon/interleave.hpp"
#include "structures/ribbon/lock_step.hpp"

namespace crivo::ribbon {
namespace {

/// Fewer keys than this go to the last layer at once: bumping would not pay for its rounding.
constexpr std::uint64_t kLastLayerKeys = 512;
/// Sizes that the last layer tries.
constexpr unsigned kLastLayerAttempts = 64;

/// The slots of a layer that bumps: n (1 - 4 / L), to the nearest whole block.
std::uint64_t bumping_slots(std::uint64_t keys) {
  return std::max<std::uint64_t>(1, (keys - keys / 16 + 32) / 64) * 64;
}

/// A partition between two layers.
template <typename Value>
class PartitionBuilder {
 public:
  PartitionBuilder(const PartitionInput<Value>& input, unsigned partition_bits, unsigned width,
                   Layout layout)
      : keys_(input.keys),
        values_(input.values),
        shift_(partition_bits),
        width_(width),
        layout_(layout) {}

  /// The layer to be eliminated next, or null if the keys left, if any, are for the last layer.
  BumpingLayer<Value>* begin_layer() {
    if (keys_.size() < kLastLayerKeys) return nullptr;
    layer_ = std::make_unique<BumpingLayer<Value>>(keys_, values_.data(), shift_,
                                                   bumping_slots(keys_.size()));
    return layer_.get();
  }

  /// Writes the eliminated layer and turns to the keys that it bumped.
  void end_layer() {
    layer_->band().solve();
    write(layer_->band().values(), layer_->slots(), layer_->thresholds());
    std::vector<Bumped<Value>> bumped = std::move(layer_->bumped());
    layer_.reset();
    std::ranges::sort(bumped, {}, &Bumped<Value>::hash);
    bumped_keys_.resize(bumped.size());
    bumped_values_.resize(bumped.size());
    for (std::size_t i = 0; i < bumped.size(); ++i) {
      bumped_keys_[i] = bumped[i].hash;
      bumped_values_[i] = bumped[i].value;
    }
    keys_ = bumped_keys_;
    values_ = bumped_values_;
    shift_ = 0;
  }

  /// Puts all keys that are left into the last layer, which grows until it holds them.
  PartitionImage finish() {
    if (!keys_.empty()) write_last_layer();
    image_.body.insert(image_.body.end(), thresholds_.begin(), thresholds_.end());
    return std::move(image_);
  }

 private:
  void write_last_layer() {
    const std::uint64_t step = std::max<std::uint64_t>(64, keys_.size() / 32 / 64 * 64);
    std::uint64_t slots = bits::align_up(keys_.size(), 64);
    for (unsigned attempt = 0; attempt < kLastLayerAttempts; ++attempt, slots += step) {
      Band<std::uint64_t, Value> band(slots);
      if (!insert_all(band, layer_starts(slots))) continue;
      band.solve();
      write(band.values(), slots, base::Bytes(threshold_bytes(layer_starts(slots))));
      return;
    }
    throw Error(
        ErrorKind::bad_input,
        "the keys' hashes are too unlike random ones for a ribbon; build with another --seed");
  }

  bool insert_all(Band<std::uint64_t, Value>& band, std::uint64_t starts) const {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const Hash128 key = first_layer(keys_[i], shift_);
      if (!band.insert(row_start(key, starts), coefficients(key), values_[i])) return false;
    }
    return true;
  }

  void write(const Value* solution, std::uint64_t slots, const base::Bytes& thresholds) {
    interleave(solution, slots, width_, layout_, image_.body);
    thresholds_.insert(thresholds_.end(), thresholds.begin(), thresholds.end());
    image_.words[layers_++] = static_cast<std::uint32_t>(slots / 64);
  }

  std::span<const Hash128> keys_;
  std::span<const Value> values_;
  unsigned shift_;
  unsigned width_;
  Layout layout_;
  std::unique_ptr<BumpingLayer<Value>> layer_;
  std::vector<Hash128> bumped_keys_;
  std::vector<Value> bumped_values_;
  PartitionImage image_;
  unsigned layers_ = 0;     // written
  base::Bytes thresholds_;  // of the layers so far
};

}  // namespace

template <typename Value>
std::vector<PartitionImage> build_partitions(std::span<const PartitionInput<Value>> inputs,
                                             unsigned partition_bits, unsigned width,
                                             Layout layout) {
  std::vector<PartitionBuilder<Value>> builders;
  for (const auto& input : inputs) builders.emplace_back(input, partition_bits, width, layout);
  for (unsigned index = 0; index + 1 < kLayers; ++index) {
    std::vector<PartitionBuilder<Value>*> busy;
    std::vector<BumpingLayer<Value>*> layers;
    for (auto& builder : builders) {
      BumpingLayer<Value>* layer = builder.begin_layer();
      if (layer == nullptr) continue;
      busy.push_back(&builder);
      layers.push_back(layer);
    }
    eliminate_together(layers, [] { return BumpingLayer<Value>({}, nullptr, 0, 64); });
    for (PartitionBuilder<Value>* builder : busy) builder->end_layer();
  }
  std::vector<PartitionImage> images;
  images.reserve(builders.size());
  for (auto& builder : builders) images.push_back(builder.finish());
  return images;
}

template std::vector<PartitionImage> build_partitions<std::uint8_t>(
    std::span<const PartitionInput<std::uint8_t>>, unsigned, unsigned, Layout);
template std::vector<PartitionImage> build_partitions<std::uint16_t>(
    std::span<const PartitionInput<std::uint16_t>>, unsigned, unsigned, Layout);
template std::vector<PartitionImage> build_partitions<std::uint32_t>(
    std::span<const PartitionInput<std::uint32_t>>, unsigned, unsigned, Layout);
template std::vector<PartitionImage> build_partitions<std::uint64_t>(
    std::span<const PartitionInput<std::uint64_t>>, unsigned, unsigned, Layout);

}  // namespace crivo::ribbon
