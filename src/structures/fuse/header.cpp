// SPDX-License-Identifier: Apache-2.0
#include "structures/fuse/header.hpp"

namespace crivo::fuse {

base::Bytes encode(const Header& header) {
  const bool small = header.n < kSmallSetKeys;
  base::FieldWriter fields;
  fields.u8(static_cast<std::uint8_t>(header.width));
  fields.u8(static_cast<std::uint8_t>(header.shape.arity));
  fields.u8(static_cast<std::uint8_t>(small ? 0 : header.shape.shard_bits));
  fields.u8(static_cast<std::uint8_t>(small ? 0 : header.shape.segment_bits));
  fields.zeros(4);
  fields.u64(header.n);
  return fields.align(kHeaderBytes).take();
}

Header decode_header(const base::CheckedBytes& section) {
  base::FieldReader fields(section, "fuse section");
  Header header{};
  Shape& shape = header.shape;
  header.width = fields.u8();
  shape.arity = fields.u8();
  shape.shard_bits = fields.u8();
  shape.segment_bits = fields.u8();
  fields.zeros(4);
  header.n = fields.u64();
  fields.align(kHeaderBytes);
  if (header.width < 1 || header.width > 64) fields.fail("has a value width that is not 1 to 64");
  if (shape.arity != 3 && shape.arity != 4) fields.fail("has an arity that is not 3 or 4");
  if (header.n < kSmallSetKeys) {
    if (shape.shard_bits != 0 || shape.segment_bits != 0) {
      fields.fail("has shards for fewer keys than they are for");
    }
  } else if (shape.shard_bits > kMaxShardBits || shape.segment_bits < kMinSegmentBits ||
             shape.segment_bits > kMaxSegmentBits) {
    fields.fail("has shards of a shape that cannot be");
  }
  return header;
}

}  // namespace crivo::fuse
