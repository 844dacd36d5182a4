// SPDX-License-Identifier: Apache-2.0
#include "structures/csf/section.hpp"

namespace crivo::csf {
namespace {

constexpr std::uint32_t kNoEscape = UINT32_MAX;
constexpr std::uint8_t kPlainLevel = 1;
constexpr std::uint8_t kCodedLevel = 2;

void put(base::Bytes& bytes, std::size_t at, const Shape& shape) {
  bytes[at] = static_cast<std::byte>(shape.code_bits);
  bytes[at + 1] = static_cast<std::byte>(shape.slice_bits);
  bytes[at + 2] = static_cast<std::byte>(shape.bucket_bits);
}

Shape decode_shape(base::FieldReader& fields) {
  Shape shape;
  shape.code_bits = fields.u8();
  shape.slice_bits = fields.u8();
  shape.bucket_bits = fields.u8();
  const bool sound = shape.code_bits == 0
                         ? shape.slice_bits == 0 && shape.bucket_bits == 0
                         : shape.code_bits <= kMaxCodeBits && shape.slice_bits <= kMaxSliceBits &&
                               shape.bucket_bits >= kMinBucketBits &&
                               shape.bucket_bits <= kMaxBucketBits;
  if (!sound) fields.fail("has a ribbon with a parameter out of range");
  return shape;
}

LevelEntry decode_entry(base::FieldReader& fields) {
  LevelEntry entry;
  const unsigned kind = fields.u8();
  if (kind != kPlainLevel && kind != kCodedLevel) fields.fail("has a level of an unknown kind");
  entry.plain = kind == kPlainLevel;
  entry.filter = decode_shape(fields);
  entry.codes = decode_shape(fields);
  fields.zeros(1);
  entry.codewords = fields.u32();
  const std::uint32_t escape = fields.u32();
  if (escape != kNoEscape) entry.escape = escape;
  entry.dominant = fields.u64();
  const bool filtered = entry.filter.code_bits != 0;
  if (!filtered && entry.dominant != 0) fields.fail("has a level with a part of a filter");
  const bool sound = entry.plain ? entry.codewords == 0 && entry.codes.code_bits == 0 && !filtered
                                 : entry.codewords != 0 && entry.codewords <= kMaxCodewords;
  if (!sound || (entry.escape && *entry.escape >= entry.codewords)) {
    fields.fail("has a level with a parameter out of range");
  }
  return entry;
}

}  // namespace

base::Bytes encode(const Header& header) {
  base::Bytes bytes(kHeaderBytes);
  base::store_le(bytes.data(), header.n);
  base::store_le(bytes.data() + 8, header.entropy);
  bytes[16] = static_cast<std::byte>(header.width);
  bytes[17] = static_cast<std::byte>(header.levels);
  bytes[18] = static_cast<std::byte>(header.partition_bits);
  return bytes;
}

base::Bytes encode(const LevelEntry& entry) {
  base::Bytes bytes(kEntryBytes);
  bytes[0] = static_cast<std::byte>(entry.plain ? kPlainLevel : kCodedLevel);
  put(bytes, 1, entry.filter);
  put(bytes, 4, entry.codes);
  base::store_le(bytes.data() + 8, entry.codewords);
  base::store_le(bytes.data() + 12, entry.escape.value_or(kNoEscape));
  base::store_le(bytes.data() + 16, entry.dominant);
  return bytes;
}

Header decode_header(const base::CheckedBytes& section) {
  base::FieldReader fields(section, "coded section");
  Header header{};
  header.n = fields.u64();
  header.entropy = fields.u64();
  header.width = fields.u8();
  header.levels = fields.u8();
  header.partition_bits = fields.u8();
  fields.align(kHeaderBytes);
  if (header.width > 64 || header.levels > kMaxLevels || (header.levels == 0) != (header.n == 0) ||
      header.entropy >> 38 != 0 || header.partition_bits > kMaxPartitionBits) {
    fields.fail("has a parameter out of range");
  }
  return header;
}

std::vector<LevelEntry> decode_entries(const Header& header, const base::CheckedBytes& section) {
  base::FieldReader fields(section, "coded section");
  const std::uint64_t bytes = header.levels * kEntryBytes;
  if (fields.remaining() < kHeaderBytes + bytes) fields.fail("ends before its table of levels");
  fields.take(fields.remaining() - bytes);
  std::vector<LevelEntry> entries;
  for (unsigned level = 0; level < header.levels; ++level) {
    entries.push_back(decode_entry(fields));
    const bool last = level + 1 == header.levels;
    if (entries.back().plain && !last) fields.fail("has a plain level before the last");
    if (entries.back().escape.has_value() == last) {
      fields.fail("has a level that escapes to none, or one that none escapes to");
    }
  }
  return entries;
}

}  // namespace crivo::csf
