#include "structures/csf/code_ribbon.hpp"

#include "structures/csf/section.hpp"

namespace crivo::csf {
namespace {

/// Where a key is looked up that no layer holds.
constexpr std::array<std::byte, 24> kNoSlots{};

}  // namespace

CodeRibbon::CodeRibbon(const Shape& shape, base::ByteView bytes)
    : read_bits_(read_bits()),
      partition_bits_(shape.partition_bits),
      bucket_bits_(shape.bucket_bits),
      thresholds_(thresholds(shape.bucket_bits)) {
  base::FieldReader bodies(bytes, "coded section");
  const std::uint64_t count = std::uint64_t{1} << partition_bits_;
  const std::uint64_t table_bytes = count * kTableEntryBytes;
  if (bytes.size() < table_bytes) bodies.fail("has a ribbon that ends before its table");
  base::FieldReader table(bytes.last(table_bytes), "coded section");
  bodies = base::FieldReader(bytes.first(bytes.size() - table_bytes), "coded section");
  partitions_.resize(count);
  for (auto& partition : partitions_) {
    for (Layer& layer : partition) {
      const std::uint64_t slots = std::uint64_t{64} * table.u32();
      if (slots != 0 && slots < shape.least_slots()) {
        table.fail("has a layer of a size that none can have");
      }
      if (slots / 8 > bodies.remaining()) table.fail("has a layer past its ribbon's end");
      layer.starts = shape.starts(slots);
      layer.slots = bodies.take(slots / 8).data();
    }
    for (Layer& layer : partition) {
      layer.thresholds = bodies.take(shape.threshold_bytes(layer.starts)).data();
    }
    bodies.skip_to(8);
  }
  bodies.expect_end();
}

Place CodeRibbon::find(Hash128 hash) const noexcept {
  const auto& partition = partitions_[bits::top_bits(hash.hi, partition_bits_)];
  Hash128 key = ribbon::first_layer(hash, partition_bits_);
  for (const Layer& layer : partition) {
    if (layer.starts != 0) {
      const std::uint64_t start = ribbon::row_start(key, layer.starts);
      const std::uint64_t bucket = start >> bucket_bits_;
      const auto four = std::to_integer<unsigned>(layer.thresholds[bucket / 4]);
      const unsigned threshold = thresholds_[(four >> (bucket % 4 * 2)) & 3];
      if (start - (bucket << bucket_bits_) >= threshold) {
        return {layer.slots + start / 8, static_cast<unsigned>(start % 8), coefficients(key)};
      }
    }
    key = ribbon::next_layer(key);
  }
  return {kNoSlots.data(), 0, {0, 0}};
}

void CodeRibbon::bits(std::span<const Hash128> hashes, std::uint32_t* results) const noexcept {
  if (hashes.empty()) return;
  std::array<Place, kBatch> places;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    places[i] = find(hashes[i]);
    __builtin_prefetch(places[i].bytes);
    __builtin_prefetch(places[i].bytes + 23);
  }
  read_bits_(places.data(), hashes.size(), results);
}

}  // namespace crivo::csf
