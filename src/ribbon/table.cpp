#include "ribbon/table.hpp"

#include <algorithm>

#include "ribbon/parity.hpp"
#include "util/bits.hpp"

namespace crivo::ribbon {
namespace {

constexpr std::size_t kBatch = 32;

/// What a key is looked up in that no layer holds: two blocks of the widest values.
alignas(64) constexpr std::array<std::byte, 2 * 64 * 8> kNoSlots{};

}  // namespace

Table::Table(file::ByteView section)
    : header_(decode_header(section)),
      partition_bits_(partition_bits(header_.n)),
      block_bytes_(8U * header_.width) {
  if (header_.n < kSmallSetKeys) {
    small_set_.emplace(header_, section);
    return;
  }
  file::FieldReader bodies(section, "ribbon section");
  const std::uint64_t count = std::uint64_t{1} << partition_bits_;
  const std::uint64_t tail = count * kTableEntryBytes + end_padding(header_.width);
  if (section.size() < kHeaderBytes + tail) bodies.fail("ends before its partition table");
  file::FieldReader table(section.last(tail), "ribbon partition table");
  bodies = file::FieldReader(section.first(section.size() - tail), "ribbon section");
  bodies.take(kHeaderBytes);
  partitions_.resize(count);
  for (Partition& partition : partitions_) {
    bodies.align(64);
    bool ended = false;
    for (Layer& layer : partition) {
      const std::uint64_t slots = table.u64();
      if (slots != 0 && ended) table.fail("has a layer after an empty one");
      ended = slots == 0;
      if (slots % 64 != 0) table.fail("has a layer that is not whole blocks");
      if (slots / 64 > bodies.remaining() / block_bytes_)
        table.fail("has a layer past the section's end");
      layer.starts = layer_starts(slots);
      layer.slots = bodies.take(slots / 64 * block_bytes_).data();
    }
    for (Layer& layer : partition) {
      layer.thresholds = bodies.take(threshold_bytes(layer.starts)).data();
    }
  }
  bodies.align(64);
  bodies.expect_end();
  table.zeros(end_padding(header_.width));
}

Table::Row Table::find(Hash128 hash) const noexcept {
  const Partition& partition = partitions_[util::top_bits(hash.hi, partition_bits_)];
  Hash128 key = first_layer(hash, partition_bits_);
  for (const Layer& layer : partition) {
    if (layer.starts == 0) break;
    const std::uint64_t start = row_start(key, layer.starts);
    const std::uint64_t bucket = start / kBucketStarts;
    const auto four = std::to_integer<unsigned>(layer.thresholds[bucket / 4]);
    const unsigned threshold = kThresholds[(four >> (bucket % 4 * 2)) & 3];
    if (start % kBucketStarts >= threshold) {
      const std::uint64_t bits = coefficients(key);
      const unsigned shift = start % 64;
      return {layer.slots + start / 64 * block_bytes_, bits << shift, (bits >> 1) >> (63 - shift)};
    }
    key = next_layer(key);
  }
  return {kNoSlots.data(), 0, 0};
}

std::uint64_t Table::evaluate(const Row& row) const noexcept {
  std::uint64_t value = 0;
  const std::byte* here = row.block;
  const std::byte* beyond = row.block + block_bytes_;
  for (unsigned column = 0; column < header_.width; column += 8, here += 64, beyond += 64) {
    std::uint64_t words[8];
    for (unsigned j = 0; j < 8; ++j) {
      words[j] = (file::load_le<std::uint64_t>(here + 8 * j) & row.here) ^
                 (file::load_le<std::uint64_t>(beyond + 8 * j) & row.beyond);
    }
    value |= parities(words) << column;
  }
  // The words past the last column are the next block's.
  return value & (~std::uint64_t{0} >> (64 - header_.width));
}

std::uint64_t Table::value(Hash128 hash) const noexcept {
  return small_set_ ? small_set_->value(hash) : evaluate(find(hash));
}

void Table::values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept {
  if (small_set_) {
    std::ranges::transform(hashes, values,
                           [this](Hash128 hash) { return small_set_->value(hash); });
    return;
  }
  std::array<Row, kBatch> rows;
  while (!hashes.empty()) {
    const std::size_t count = std::min(kBatch, hashes.size());
    for (std::size_t i = 0; i < count; ++i) {
      rows[i] = find(hashes[i]);
      for (std::uint64_t at = 0; at < 2 * block_bytes_; at += 64) {
        __builtin_prefetch(rows[i].block + at);
      }
    }
    for (std::size_t i = 0; i < count; ++i) values[i] = evaluate(rows[i]);
    hashes = hashes.subspan(count);
    values += count;
  }
}

}  // namespace crivo::ribbon
