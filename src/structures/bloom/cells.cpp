// SPDX-License-Identifier: Apache-2.0
#include "structures/bloom/cells.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace crivo::filter {

double BloomHeader::fpr() const noexcept {
  return std::pow(static_cast<double>(occupied) / static_cast<double>(cells()), hashes);
}

BloomHeader BloomHeader::decode(base::ByteView section) {
  base::FieldReader r(section, "filter section");
  BloomHeader header;
  const std::uint64_t cells = r.u64();
  header.keys = r.u64();
  header.capacity = r.u64();
  header.hashes = r.u32();
  header.cell_bits = r.u32();
  const std::uint32_t estimated = r.u32();
  header.regions.bits = r.u32();
  r.align(kBytes);
  if (cells < 1 || cells > kMaxCells) r.fail("impossible number of cells");
  if (header.hashes < 1 || header.hashes > kMaxHashes) r.fail("impossible number of hashes");
  if (header.cell_bits < 1 || header.cell_bits > kMaxCounterBits) {
    r.fail("impossible bits of a counter");
  }
  const unsigned bits = header.regions.bits;
  if (bits > kMaxRegionBits || (bits != 0 && cells % (std::uint64_t{64} << bits) != 0)) {
    r.fail("impossible number of regions");
  }
  header.regions.cells = cells >> bits;
  if (section.size() != header.section_bytes()) r.fail("its length is not that of its cells");
  const base::ByteView words = r.take(8 * header.words());
  header.occupied = r.u64();
  header.saturated = r.u64();
  if (header.capacity == 0 || estimated > 1 || header.occupied > cells ||
      header.saturated > header.occupied) {
    r.fail("its counts do not agree");
  }
  header.estimated = estimated == 1;
  const std::uint64_t used = cells * header.cell_bits % 64;
  const auto last = base::load_le<std::uint64_t>(&*(words.end() - 8));
  if (used != 0 && last >> used != 0) r.fail("has bits after its last cell");
  return header;
}

void BloomHeader::encode_to(std::span<std::byte, kBytes> room) const noexcept {
  const std::array<std::uint64_t, kBytes / 8> fields{
      cells(), keys, capacity, hashes | std::uint64_t{cell_bits} << 32,
      (estimated ? 1 : 0) | std::uint64_t{regions.bits} << 32};
  for (std::size_t i = 0; i < fields.size(); ++i) base::store_le(room.data() + 8 * i, fields[i]);
}

base::Bytes BloomHeader::encode() const {
  base::Bytes bytes(kBytes);
  encode_to(std::span<std::byte, kBytes>(bytes));
  return bytes;
}

base::Bytes BloomHeader::encode_counts() const {
  return base::FieldWriter().u64(occupied).u64(saturated).take();
}

double bloom_fpr(double cells, double keys, unsigned hashes) noexcept {
  if (keys == 0) return 0;
  return std::pow(-std::expm1(hashes * keys * std::log1p(-1 / cells)), hashes);
}

}  // namespace crivo::filter
