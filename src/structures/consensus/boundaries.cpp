// SPDX-License-Identifier: Apache-2.0
#include "structures/consensus/boundaries.hpp"

#include <limits>

namespace crivo::consensus {

std::optional<Boundaries::Sizes> Boundaries::write(std::span<const Hash128> hashes,
                                                   const Spacing& spacing, std::uint16_t buckets,
                                                   base::FieldWriter& out) {
  if (hashes.size() > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  Sizes sizes;
  sizes.buckets = buckets;
  for (const Hash128& hash : hashes) {
    ++sizes.anchors[base::top_bits(hash.hi << spacing.partition_bits, kAnchorBits) + 1];
  }
  for (std::size_t a = 1; a < sizes.anchors.size(); ++a) sizes.anchors[a] += sizes.anchors[a - 1];
  const auto place_of = [&](std::uint64_t i) {
    return estimate(hashes[i].hi, sizes.anchors, spacing);
  };

  constexpr std::int64_t kMost = std::numeric_limits<std::int16_t>::max();
  base::FieldWriter thresholds;
  base::FieldWriter exceptions;
  for (std::uint64_t b = 0; b <= buckets; ++b) {
    const std::uint64_t first = b << spacing.log_keys;
    std::int64_t off = 0;
    if (first == hashes.size()) {
      off = kMost;  // no estimate comes to it
    } else if (b != 0) {
      const std::uint64_t place = place_of(first);
      off = static_cast<std::int64_t>(place - (b << 16));
      if (off < -kMost || off > kMost) return std::nullopt;
      if (place_of(first - 1) == place) {
        exceptions.u64(hashes[first].hi).u64(hashes[first].lo);
        ++sizes.exceptions;
      }
    }
    thresholds.u16(static_cast<std::uint16_t>(off));
  }
  out.bytes(thresholds.align(8).view()).bytes(exceptions.view());
  return sizes;
}

Boundaries::Boundaries(const Sizes& sizes, base::FieldReader& reader)
    : sizes_(sizes), thresholds_(reader.take((buckets() + 1) * 2).data()) {
  reader.align(8);
  reader.take(sizes.exceptions * kHashBytes);
}

bool Boundaries::precedes(std::uint64_t hi, std::uint64_t lo,
                          const Spacing& spacing) const noexcept {
  const auto at = [this](std::uint64_t i) {
    return Hash128{base::load_le<std::uint64_t>(exceptions() + kHashBytes * i),
                   base::load_le<std::uint64_t>(exceptions() + kHashBytes * i + 8)};
  };
  const Hash128 hash{hi, lo};
  std::uint64_t begin = 0;  // the first one after the hash
  for (std::uint64_t end = sizes_.exceptions; begin < end;) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    if (hash < at(middle)) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin < sizes_.exceptions &&
         estimate(at(begin).hi, sizes_.anchors, spacing) == estimate(hi, sizes_.anchors, spacing);
}

}  // namespace crivo::consensus
