// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/build/partition.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"
#include "structures/ribbon/band.hpp"
#include "structures/ribbon/build/bumping_layer.hpp"
#include "structures/ribbon/build/lock_step.hpp"
#include "structures/ribbon/columns.hpp"

namespace crivo::ribbon {
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
