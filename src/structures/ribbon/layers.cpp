#include "structures/ribbon/layers.hpp"

#include <algorithm>

namespace crivo::ribbon {
namespace {

/// What a key is looked up in that no layer holds: as much as a row and its vectors of the widest
/// values can reach.
alignas(64) constexpr std::array<std::byte, 2 * 64 * 8> kNoSlots{};
constexpr std::byte kNoThresholds{};

}  // namespace

Layers::Layers(const Header& header, base::ByteView section)
    : layout_(header.layout),
      width_(header.width),
      partitions_(std::uint64_t{1} << partition_bits(header.n)) {
  base::FieldReader bodies(section, "ribbon section");
  const std::uint64_t padding = end_padding(layout_, width_);
  const std::uint64_t tail = partitions_ * kTableEntryBytes + padding;
  if (section.size() < kHeaderBytes + tail) bodies.fail("ends before its partition table");
  base::FieldReader table(section.last(tail), "ribbon partition table");
  bodies = base::FieldReader(section.first(section.size() - tail), "ribbon section");
  bodies.take(kHeaderBytes);
  first_layers_.resize(partitions_);
  further_layers_.resize(partitions_);
  for (std::uint64_t p = 0; p < partitions_; ++p) {
    bodies.skip_to(body_alignment(layout_, width_));
    std::array<Layer, kLayers> partition;
    bool ended = false;
    for (Layer& layer : partition) {
      const std::uint64_t slots = std::uint64_t{64} * table.u32();
      if (slots != 0 && ended) table.fail("has a layer after an empty one");
      ended = slots == 0;
      if (slots / 64 > bodies.remaining() / block_bytes(Layout::blocks_of_64, width_))
        table.fail("has a layer past the section's end");
      layer.starts = layer_starts(slots);
      layer.slots = bodies.take(slots / 8 * width_).data();
    }
    for (Layer& layer : partition) {
      layer.thresholds = bodies.take(threshold_bytes(layer.starts)).data();
    }
    // Every key that comes to an empty layer has its row at 0 there.
    for (Layer& layer : partition) {
      if (layer.starts == 0) layer = {0, kNoSlots.data(), &kNoThresholds};
    }
    first_layers_[p] = partition[0];
    std::copy(partition.begin() + 1, partition.end(), further_layers_[p].begin());
  }
  bodies.align(64);
  bodies.expect_end();
  table.zeros(padding);
}

template <Layout kLayout>
Row Layers::find_bumped(Hash128 hash) const noexcept {
  Hash128 key{hash.hi * partitions_, hash.lo};
  for (const Layer& layer : further_layers_[bits::mulhi(hash.hi, partitions_)]) {
    key = next_layer(key);
    Row row;
    if (find_in<kLayout>(layer, key.hi, key.lo, width_, row)) return row;
  }
  return {kNoSlots.data(), 0, 0};
}

template Row Layers::find_bumped<Layout::blocks_of_64>(Hash128) const noexcept;
template Row Layers::find_bumped<Layout::blocks_of_8>(Hash128) const noexcept;

}  // namespace crivo::ribbon
