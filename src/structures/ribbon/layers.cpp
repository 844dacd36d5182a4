// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/layers.hpp"

#include <array>

namespace crivo::ribbon {
namespace {

/// What a key is looked up in that no layer holds: as much as a row and its vectors of the widest
/// values can reach.
alignas(64) constexpr std::array<std::byte, 2 * 64 * 8> kNoSlots{};

}  // namespace

Layers::Layers(const Header& header, base::ByteView section)
    : section_(section.data()),
      starts_(layer_starts(first_layer_slots(header.n))),
      narrow_blocks_(header.width.narrow_blocks(starts_)),
      thresholds_(layer_bytes(header.width, first_layer_slots(header.n), starts_)),
      partition_bits_(partition_bits(header.n)),
      layout_(header.layout),
      width_(header.width) {
  const std::uint64_t padding = end_padding(layout_, width_.bits);
  const std::uint64_t tail = (kTableEntryBytes << partition_bits_) + padding;
  const std::uint64_t first_layer = thresholds_ + threshold_bytes(starts_) + kFurtherLayersBytes;
  if (section.size() < kHeaderBytes + first_layer + tail) {
    base::FieldReader(section, "ribbon section").fail("ends before its partition table");
  }
  table_ = section.last(tail).data();
  last_body_ = section.size() - tail - first_layer;
  if (base::load_le<std::uint64_t>(table_) !=
      bits::align_up(kHeaderBytes, body_alignment(layout_, width_))) {
    base::FieldReader(section, "ribbon section").fail("does not begin with its first partition");
  }
  base::FieldReader(section.last(padding), "ribbon section").zeros(padding);
}

template <Layout kLayout>
Row Layers::find_bumped(Hash128 hash) const noexcept {
  const Row nowhere{kNoSlots.data(), 0, 0, width_.bits};
  const std::uint64_t offset = body_offset(hash.hi);
  if (offset > last_body_) return nowhere;
  const std::byte* const words = section_ + offset + thresholds_ + threshold_bytes(starts_);
  const std::byte* at = words + kFurtherLayersBytes;
  for (unsigned i = 0; i + 1 < kLayers; ++i) {
    const std::uint64_t slots = std::uint64_t{64} * base::load_le<std::uint32_t>(words + 4 * i);
    if (slots == 0) break;
    const std::uint64_t starts = layer_starts(slots);
    const std::uint64_t bytes = layer_bytes(width_, slots, starts);
    const Layer layer{at, at + bytes, starts, width_.narrow_blocks(starts)};
    if (bytes + threshold_bytes(starts) > static_cast<std::uint64_t>(table_ - at)) break;
    at = layer.thresholds + threshold_bytes(starts);
    hash = next_layer(hash);
    Row row;
    if (find_in<kLayout, kLayout == Layout::blocks_of_64>(layer, hash.hi, hash.hi, width_.bits,
                                                          row))
      return row;
  }
  return nowhere;
}

template Row Layers::find_bumped<Layout::blocks_of_64>(Hash128) const noexcept;
template Row Layers::find_bumped<Layout::blocks_of_8>(Hash128) const noexcept;

}  // namespace crivo::ribbon
