// SPDX-License-Identifier: Apache-2.0
#include "records/codec_section.hpp"

#include <xxhash.h>

#include <string>

#include "crivo/error.hpp"
#include "records/block.hpp"

namespace crivo::records {

namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kCheckedFrom = 16;

std::uint64_t check_of(base::ByteView section) noexcept {
  const base::ByteView checked = section.subspan(kCheckedFrom);
  return XXH3_64bits(checked.data(), checked.size());
}

}  // namespace

base::Bytes CodecSection::encode() const {
  base::FieldWriter fields;
  fields.u32(kVersion).u32(static_cast<std::uint32_t>(codec)).u64(0);
  fields.u64(longest_raw).u32(block_bytes).u32(0).bytes(dictionary);
  base::Bytes bytes = fields.take();
  base::store_le(bytes.data() + 8, check_of(bytes));
  return bytes;
}

CodecSection CodecSection::decode(base::ByteView bytes) {
  base::FieldReader fields(bytes, "codec section");
  if (const std::uint32_t version = fields.u32(); version != kVersion) {
    if (version < kVersion) fields.fail("names an unknown version");
    throw Error(ErrorKind::too_new, "the records' codec section has version " +
                                        std::to_string(version) +
                                        ", which this program does not know; use a newer crivo");
  }
  CodecSection section;
  const std::uint32_t number = fields.u32();
  const std::uint64_t check = fields.u64();
  if (check != check_of(bytes)) {
    throw Error(ErrorKind::corrupt, "damaged: the checksum of its codec section is wrong");
  }
  const CodecType* const type = find_codec(number);
  if (type == nullptr) {
    throw Error(ErrorKind::too_new, "the records have codec " + std::to_string(number) +
                                        ", which this program does not know; use a newer crivo");
  }
  section.codec = type->id;
  section.longest_raw = fields.u64();
  section.block_bytes = fields.u32();
  fields.zeros(4);
  const base::ByteView dictionary = fields.take(fields.remaining());
  if (section.longest_raw > kMaxRawBlock || dictionary.size() > type->longest_dictionary ||
      (section.block_bytes == 0) != type->by_record) {
    fields.fail("names lengths over the limits");
  }
  section.dictionary.assign(dictionary.begin(), dictionary.end());
  return section;
}

}  // namespace crivo::records
