// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/header.hpp"

#include <cmath>

#include "structures/ribbon/rows.hpp"

namespace crivo::ribbon {
namespace {

/// Returns the starts of a bucket, by the header: in the small-set form there are none.
unsigned bucket_starts(const Header& header) noexcept {
  return header.n < kSmallSetKeys ? 0 : header.shape().bucket_starts;
}

}  // namespace

double rate_of(std::uint64_t n, Width width) noexcept {
  if (n == 0) return 0;
  double narrow = std::ldexp(width.narrow, -32);
  if (n < kSmallSetKeys) {  // has so few starts that their number matters
    const std::uint64_t starts = small_starts(small_slots(n));
    narrow = static_cast<double>(width.narrow_blocks(starts)) / static_cast<double>(starts);
  }
  return std::ldexp(1 + narrow, -static_cast<int>(width.bits));
}

base::Bytes encode(const Header& header) {
  base::Bytes bytes(kHeaderBytes);
  const auto put = [&bytes](std::size_t offset, auto field) {
    base::store_le(bytes.data() + offset, field);
  };
  put(0, static_cast<std::uint8_t>(header.width.bits));
  put(1, static_cast<std::uint8_t>(header.shape().band_bits));
  put(2, static_cast<std::uint16_t>(bucket_starts(header)));
  put(4, static_cast<std::uint8_t>(header.partition_bits()));
  put(5, static_cast<std::uint8_t>(header.seed));
  put(8, header.n);
  put(16, header.width.narrow);
  return bytes;
}

Header decode_header(const base::CheckedBytes& section, HashPart part) {
  base::FieldReader fields(section, "ribbon section");
  Header header{part, 0, 0, 0};
  header.width.bits = fields.u8();
  const unsigned band_bits = fields.u8();
  const unsigned starts = fields.u16();
  const unsigned bits = fields.u8();
  header.seed = fields.u8();
  fields.zeros(2);
  header.n = fields.u64();
  header.width.narrow = fields.u32();
  fields.align(kHeaderBytes);
  const bool small = header.n < kSmallSetKeys;
  if (header.width.bits < 1 || header.width.bits > 64)
    fields.fail("has a value width that is not 1 to 64");
  if (band_bits != header.shape().band_bits || starts != bucket_starts(header) ||
      bits != header.partition_bits()) {
    fields.fail("has parameters that do not belong to its number of keys");
  }
  if (header.width.narrow != 0 && part == HashPart::whole) {
    fields.fail("has rows of two widths, which only filters have");
  }
  if (header.seed >= (small ? kSmallSetSeeds : 1)) fields.fail("has a seed out of range");
  return header;
}

}  // namespace crivo::ribbon
