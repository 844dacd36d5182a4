#include "ribbon/header.hpp"

#include "ribbon/rows.hpp"

namespace crivo::ribbon {

file::Bytes encode(const Header& header) {
  const bool small = header.n < kSmallSetKeys;
  file::Bytes bytes(kHeaderBytes);
  const auto put = [&bytes](std::size_t offset, auto field) {
    file::store_le(bytes.data() + offset, field);
  };
  put(0, static_cast<std::uint8_t>(header.width));
  put(1, static_cast<std::uint8_t>(small ? kSmallBandBits : kBandBits));
  put(2, static_cast<std::uint16_t>(small ? 0 : kBucketStarts));
  put(4, static_cast<std::uint8_t>(partition_bits(header.n)));
  put(5, static_cast<std::uint8_t>(header.seed));
  put(8, header.n);
  return bytes;
}

Header decode_header(file::ByteView section) {
  file::FieldReader fields(section, "ribbon section");
  Header header{};
  header.width = fields.u8();
  const unsigned band_bits = fields.u8();
  const unsigned bucket_starts = fields.u16();
  const unsigned bits = fields.u8();
  header.seed = fields.u8();
  fields.zeros(2);
  header.n = fields.u64();
  fields.align(kHeaderBytes);
  const bool small = header.n < kSmallSetKeys;
  if (header.width < 1 || header.width > 64) fields.fail("has a value width that is not 1 to 64");
  if (band_bits != (small ? kSmallBandBits : kBandBits) ||
      bucket_starts != (small ? 0 : kBucketStarts) || bits != partition_bits(header.n)) {
    fields.fail("has parameters that do not belong to its number of keys");
  }
  if (header.seed >= (small ? kSmallSetSeeds : 1)) fields.fail("has a seed out of range");
  return header;
}

}  // namespace crivo::ribbon
