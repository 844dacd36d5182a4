// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/layers.hpp"

#include <array>

namespace crivo::ribbon {
namespace {

/// What a key is looked up in that no layer holds: a row of the widest values, and what may be
/// loaded after it.
alignas(64) constexpr std::array<std::byte, 8 * 64 + kEndPadding> kNoSlots{};

}  // namespace

template <const Shape& kShape>
LayersOf<kShape>::LayersOf(const Header& header, base::ByteView section)
    : section_(section.data()),
      starts_(kShape.layer_starts(kShape.first_layer_slots(header.n))),
      narrow_blocks_(header.width.narrow_blocks(starts_)),
      thresholds_(layer_bytes(header.width, kShape.first_layer_slots(header.n), starts_)),
      partition_bits_(header.partition_bits()),
      width_(header.width) {
  const std::uint64_t tail = (kTableEntryBytes << partition_bits_) + kEndPadding;
  const std::uint64_t first_layer =
      thresholds_ + kShape.threshold_bytes(starts_) + kFurtherLayersBytes;
  if (section.size() < kHeaderBytes + first_layer + tail) {
    base::FieldReader(section, "ribbon section").fail("ends before its partition table");
  }
  table_ = section.last(tail).data();
  last_body_ = section.size() - tail - first_layer;
  if (base::load_le<std::uint64_t>(table_) != kHeaderBytes) {
    base::FieldReader(section, "ribbon section").fail("does not begin with its first partition");
  }
  base::FieldReader(section.last(kEndPadding), "ribbon section").zeros(kEndPadding);
}

template <const Shape& kShape>
auto LayersOf<kShape>::nowhere() const noexcept -> Row {
  if constexpr (&kShape == &kLongRows) {
    return {kNoSlots.data(), {0, 0}};
  } else {
    return {kNoSlots.data(), 0, width_.bits, kRowBlocks};
  }
}

template <const Shape& kShape>
auto LayersOf<kShape>::find_bumped(Hash128 hash) const noexcept -> Row {
  const std::uint64_t offset = body_offset(hash.hi);
  if (offset > last_body_) return nowhere();
  const std::byte* const sizes = section_ + offset + thresholds_ + kShape.threshold_bytes(starts_);
  const std::byte* at = sizes + kFurtherLayersBytes;
  for (unsigned i = 0; i + 1 < kLayers; ++i) {
    const std::uint64_t slots =
        std::uint64_t{kBlockSlots} * base::load_le<std::uint32_t>(sizes + 4 * i);
    if (slots < kShape.band_bits) break;
    const std::uint64_t starts = kShape.layer_starts(slots);
    const std::uint64_t bytes = layer_bytes(width_, slots, starts);
    const Layer layer{at, at + bytes, starts, width_.narrow_blocks(starts)};
    if (bytes + kShape.threshold_bytes(starts) > static_cast<std::uint64_t>(table_ - at)) break;
    at = layer.thresholds + kShape.threshold_bytes(starts);
    hash = next_layer(hash);
    Row row;
    if (find_in<true>(layer, hash.hi, hash.hi, width_.bits, row)) return row;
  }
  return nowhere();
}

template class LayersOf<kUsualRows>;
template class LayersOf<kLongRows>;

}  // namespace crivo::ribbon
