#include "coded/code_ribbon.hpp"

namespace crivo::coded {
namespace {

/// Where a key is looked up that no layer holds.
constexpr std::array<std::byte, 24> kNoSlots{};

}  // namespace

CodeRibbon::CodeRibbon(const LevelEntry& entry, file::ByteView body, std::uint64_t position)
    : partition_bits_(entry.partition_bits) {
  file::FieldReader bodies(body, "coded section");
  const std::uint64_t count = std::uint64_t{1} << partition_bits_;
  const std::uint64_t tail = count * kTableEntryBytes + kBodyPadding;
  if (body.size() < tail || body.size() - tail < position) {
    bodies.fail("has a level that ends before its partition table");
  }
  file::FieldReader table(body.last(tail), "coded partition table");
  bodies = file::FieldReader(body.first(body.size() - tail), "coded section");
  bodies.take(position);
  partitions_.resize(count);
  for (auto& partition : partitions_) {
    bodies.align(64);
    for (Layer& layer : partition) {
      const std::uint64_t slots = table.u64();
      if (slots % 64 != 0 || (slots != 0 && slots < least_slots(entry.code_bits))) {
        table.fail("has a layer of a size that none can have");
      }
      if (slots / 8 > bodies.remaining()) table.fail("has a layer past its level's end");
      layer.starts = layer_starts(slots, entry.code_bits);
      layer.slots = bodies.take(slots / 8).data();
    }
    for (Layer& layer : partition) {
      layer.thresholds = bodies.take(threshold_bytes(layer.starts)).data();
    }
  }
  bodies.align(64);
  bodies.expect_end();
  table.zeros(kBodyPadding);
}

CodeRibbon::Place CodeRibbon::find(Hash128 hash) const noexcept {
  const auto& partition = partitions_[util::top_bits(hash.hi, partition_bits_)];
  Hash128 key = ribbon::first_layer(hash, partition_bits_);
  for (const Layer& layer : partition) {
    if (layer.starts != 0) {
      const std::uint64_t start = ribbon::row_start(key, layer.starts);
      const std::uint64_t bucket = start / kBucketStarts;
      const auto four = std::to_integer<unsigned>(layer.thresholds[bucket / 4]);
      if (start % kBucketStarts >= kThresholds[(four >> (bucket % 4 * 2)) & 3]) {
        return {layer.slots + start / 8, static_cast<unsigned>(start % 8), coefficients(key)};
      }
    }
    key = ribbon::next_layer(key);
  }
  return {kNoSlots.data(), 0, {0, 0}};
}

}  // namespace crivo::coded
