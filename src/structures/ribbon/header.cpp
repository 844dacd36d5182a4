// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/header.hpp"

#include <cmath>

#include "structures/ribbon/rows.hpp"

namespace crivo::ribbon {
namespace {

/// What the header says of the layout: nothing in the small-set form, nor in sections of type 32.
std::uint8_t layout_code(const Header& header) noexcept {
  const bool unsaid = header.n < kSmallSetKeys || header.layout == Layout::blocks_of_64;
  return unsaid ? 0 : static_cast<std::uint8_t>(header.layout);
}

}  // namespace

double rate_of(Width width) noexcept {
  return std::ldexp(1 + std::ldexp(width.narrow, -32), -static_cast<int>(width.bits));
}

base::Bytes encode(const Header& header) {
  const bool small = header.n < kSmallSetKeys;
  base::Bytes bytes(kHeaderBytes);
  const auto put = [&bytes](std::size_t offset, auto field) {
    base::store_le(bytes.data() + offset, field);
  };
  put(0, static_cast<std::uint8_t>(header.width.bits));
  put(1, static_cast<std::uint8_t>(small ? kSmallBandBits : kBandBits));
  put(2, static_cast<std::uint16_t>(small ? 0 : kBucketStarts));
  put(4, static_cast<std::uint8_t>(partition_bits(header.n)));
  put(5, static_cast<std::uint8_t>(header.seed));
  put(6, layout_code(header));
  put(8, header.n);
  put(16, header.width.narrow);
  return bytes;
}

Header decode_header(base::ByteView section, Layout layout) {
  base::FieldReader fields(section, "ribbon section");
  Header header{layout, 0, 0, 0};
  header.width.bits = fields.u8();
  const unsigned band_bits = fields.u8();
  const unsigned bucket_starts = fields.u16();
  const unsigned bits = fields.u8();
  header.seed = fields.u8();
  const unsigned code = fields.u8();
  fields.zeros(1);
  header.n = fields.u64();
  header.width.narrow = fields.u32();
  fields.align(kHeaderBytes);
  const bool small = header.n < kSmallSetKeys;
  if (header.width.bits < 1 || header.width.bits > 64)
    fields.fail("has a value width that is not 1 to 64");
  if (band_bits != (small ? kSmallBandBits : kBandBits) ||
      bucket_starts != (small ? 0 : kBucketStarts) || bits != partition_bits(header.n)) {
    fields.fail("has parameters that do not belong to its number of keys");
  }
  if (header.width.narrow != 0 && (small || layout == Layout::blocks_of_8)) {
    fields.fail("has rows of two widths, which its form has not");
  }
  if (code != layout_code(header)) fields.fail("has blocks of another size than its type");
  if (header.seed >= (small ? kSmallSetSeeds : 1)) fields.fail("has a seed out of range");
  return header;
}

}  // namespace crivo::ribbon
