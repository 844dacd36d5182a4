// SPDX-License-Identifier: Apache-2.0
#include "structures/dictionary/layout.hpp"

namespace crivo::dictionary {

base::Bytes Head::encode() const {
  return base::FieldWriter()
      .u64(keys)
      .u32(block_keys)
      .u16(token_bits)
      .u16(offset_bytes)
      .u64(longest_key)
      .u64(block_bytes)
      .u64(directory_bytes)
      .zeros(24)
      .take();
}

Head Head::decode(base::ByteView bytes) {
  base::FieldReader fields(bytes, "the dictionary's head");
  Head head;
  head.keys = fields.u64();
  head.block_keys = fields.u32();
  head.token_bits = fields.u16();
  head.offset_bytes = fields.u16();
  head.longest_key = fields.u64();
  head.block_bytes = fields.u64();
  head.directory_bytes = fields.u64();
  fields.zeros(24);
  fields.expect_end();
  if (head.block_keys < kLeastBlockKeys || head.block_keys > kMostBlockKeys)
    fields.fail("has an impossible number of keys in a block");
  if (head.token_bits != 8 && head.token_bits != 10 && head.token_bits != 12)
    fields.fail("has tokens of an impossible width");
  if (head.offset_bytes != 2 && head.offset_bytes != 4 && head.offset_bytes != 8)
    fields.fail("has offsets of an impossible width");
  if (head.longest_key > kMostKeyBytes) fields.fail("has too long a longest key");
  return head;
}

}  // namespace crivo::dictionary
