// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/layers.hpp"

#include <array>

namespace crivo::ribbon {
namespace {

/// The slots of a key that no layer holds: a row of the widest values, and what may be loaded after
/// it.
alignas(64) constexpr std::array<std::byte, 8 * 64 + kEndPadding> kNoSlots{};

}  // namespace

template <const Shape& kShape>
LayersOf<kShape>::LayersOf(const Header& header, const base::CheckedBytes& checked)
    : section_(checked.bytes.data()),
      starts_(kShape.layer_starts(kShape.first_layer_slots(header.n))),
      narrow_blocks_(header.width.narrow_blocks(starts_)),
      thresholds_(layer_bytes(header.width, kShape.first_layer_slots(header.n), starts_)),
      partition_bits_(header.partition_bits()),
      width_(header.width),
      pages_(checked.checks) {
  const base::ByteView section = checked.bytes;
  const std::uint64_t tail = (kTableEntryBytes << partition_bits_) + kEndPadding;
  const std::uint64_t first_layer =
      thresholds_ + kShape.threshold_bytes(starts_) + kFurtherLayersBytes;
  if (section.size() < kHeaderBytes + first_layer + tail) {
    base::FieldReader(section, "ribbon section").fail("ends before its partition table");
  }
  table_ = section.last(tail).data();
  last_body_ = section.size() - tail - first_layer;
  base::FieldReader fields({section.last(tail), checked.checks}, "ribbon section");
  if (fields.u64() != kHeaderBytes) fields.fail("does not begin with its first partition");
  fields.take(tail - kTableEntryBytes - kEndPadding);
  fields.zeros(kEndPadding);
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
auto LayersOf<kShape>::find_anywhere(Hash128 hash) const noexcept -> Row {
  const std::byte* const entry = entry_of(hash.hi);
  pages_.touch(entry, kTableEntryBytes);
  const auto offset = base::load_le<std::uint64_t>(entry);
  if (offset > last_body_) return nowhere();
  Row row;
  const auto holds = [&](const Layer& layer, std::uint64_t place) {
    const std::byte* thresholds = nullptr;
    const bool is_held = find_in<true>(layer, place, hash.hi, width_.bits, row, thresholds);
    pages_.touch(thresholds, 1);
    if (is_held) pages_.touch(row.block, bytes_of(row));
    return is_held;
  };
  if (holds(first_layer(offset), hash.hi << partition_bits_)) return row;
  const std::byte* const sizes = section_ + offset + thresholds_ + kShape.threshold_bytes(starts_);
  const std::byte* at = sizes + kFurtherLayersBytes;
  pages_.touch(sizes, kFurtherLayersBytes);
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
    if (holds(layer, hash.hi)) return row;
  }
  return nowhere();
}

template class LayersOf<kUsualRows>;
template class LayersOf<kLongRows>;

}  // namespace crivo::ribbon
