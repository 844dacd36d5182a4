// SPDX-License-Identifier: Apache-2.0
#include "structures/dictionary/token_table.hpp"

#include <cstring>

namespace crivo::dictionary {

base::Bytes encode_tokens(const TokenTexts& tokens) {
  base::FieldWriter fields;
  fields.u32(static_cast<std::uint32_t>(tokens.size()));
  for (std::size_t i = 0; i < tokens.size(); i += 2) {
    const std::size_t second = i + 1 < tokens.size() ? tokens[i + 1].size() - 1 : 0;
    fields.u8(static_cast<std::uint8_t>((tokens[i].size() - 1) | second << 4));
  }
  for (const std::string& token : tokens) fields.bytes(base::as_bytes(token));
  return fields.take();
}

TokenTable::TokenTable(base::ByteView section, unsigned bits)
    : bits_(bits), texts_(std::size_t{1} << bits), sizes_(std::size_t{1} << bits) {
  base::FieldReader fields(section, "the dictionary's tokens");
  const std::size_t count = fields.u32();
  if (count > texts_.size()) fields.fail("are too many");
  const base::ByteView lengths = fields.take((count + 1) / 2);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = (static_cast<std::size_t>(lengths[i / 2]) >> (i % 2 * 4) & 15) + 1;
    std::memcpy(texts_[i].bytes.data(), fields.take(size).data(), size);
    sizes_[i] = static_cast<std::uint8_t>(size);
  }
  if (count % 2 != 0 && static_cast<unsigned>(lengths.back()) > 15)
    fields.fail("have a length too many");
  fields.expect_end();
}

}  // namespace crivo::dictionary
