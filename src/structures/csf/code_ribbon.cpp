// SPDX-License-Identifier: Apache-2.0
#include "structures/csf/code_ribbon.hpp"

#include "structures/csf/section.hpp"

namespace crivo::csf {
namespace {

/// Where a key is looked up that no layer holds.
constexpr std::array<std::byte, 24> kNoSlots{};

}  // namespace

CodeRibbon::CodeRibbon(const Shape& shape)
    : read_bits_(read_bits()), shape_(shape), thresholds_(thresholds(shape.bucket_bits)) {}

void CodeRibbon::add(base::FieldReader& table, base::FieldReader& bodies) {
  for (std::uint64_t slice = 0; slice < std::uint64_t{1} << shape_.slice_bits; ++slice) {
    auto& layers = slices_.emplace_back();
    for (Layer& layer : layers) {
      const std::uint64_t slots = std::uint64_t{64} * table.u32();
      if (slots != 0 && slots < shape_.least_slots()) {
        table.fail("has a layer of a size that none can have");
      }
      if (slots / 8 > bodies.remaining()) table.fail("has a layer past its ribbon's end");
      layer.starts = shape_.starts(slots);
      layer.slots = bodies.take(slots / 8).data();
    }
    for (Layer& layer : layers) {
      layer.thresholds = bodies.take(shape_.threshold_bytes(layer.starts)).data();
    }
    bodies.skip_to(8);
  }
}

Place CodeRibbon::find(const LocalKey& local) const noexcept {
  const std::uint64_t slice = (std::uint64_t{local.partition} << shape_.slice_bits) |
                              base::top_bits(local.hash.hi, shape_.slice_bits);
  Hash128 key = ribbon::first_layer(local.hash, shape_.slice_bits);
  for (const Layer& layer : slices_[slice]) {
    if (layer.starts != 0) {
      const std::uint64_t start = ribbon::row_start(key, layer.starts);
      const std::uint64_t bucket = start >> shape_.bucket_bits;
      const auto four = std::to_integer<unsigned>(layer.thresholds[bucket / 4]);
      const unsigned threshold = thresholds_[(four >> (bucket % 4 * 2)) & 3];
      if (start - (bucket << shape_.bucket_bits) >= threshold) {
        return {layer.slots + start / 8, static_cast<unsigned>(start % 8), coefficients(key)};
      }
    }
    key = ribbon::next_layer(key);
  }
  return {kNoSlots.data(), 0, {0, 0}};
}

void CodeRibbon::bits(std::span<const LocalKey> keys, std::uint32_t* results) const noexcept {
  if (keys.empty()) return;
  std::array<Place, kBatch> places;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    places[i] = find(keys[i]);
    __builtin_prefetch(places[i].bytes);
    __builtin_prefetch(places[i].bytes + 23);
  }
  read_bits_(places.data(), keys.size(), results);
}

}  // namespace crivo::csf
