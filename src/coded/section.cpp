#include "coded/section.hpp"

#include "coded/plan.hpp"

namespace crivo::coded {
namespace {

constexpr std::uint32_t kNoEscape = UINT32_MAX;
constexpr unsigned kMaxPartitionBits = 32;
constexpr unsigned kMaxFilterBits = 32;
constexpr std::uint8_t kPlainLevel = 1;
constexpr std::uint8_t kCodedLevel = 2;

LevelEntry decode_entry(file::FieldReader& fields) {
  LevelEntry entry;
  const unsigned kind = fields.u8();
  entry.filter_bits = fields.u8();
  entry.code_bits = fields.u8();
  entry.partition_bits = fields.u8();
  entry.codewords = fields.u32();
  const std::uint32_t escape = fields.u32();
  fields.zeros(4);
  entry.dominant = fields.u64();
  entry.filter_bytes = fields.u64();
  entry.body_bytes = fields.u64();
  fields.zeros(16);
  if (kind != kPlainLevel && kind != kCodedLevel) fields.fail("has a level of an unknown kind");
  entry.plain = kind == kPlainLevel;
  if (escape != kNoEscape) entry.escape = escape;
  if (entry.filter_bits > kMaxFilterBits || entry.code_bits > kMaxCodeBits ||
      entry.partition_bits > kMaxPartitionBits || entry.codewords > kMaxCodewords ||
      (entry.escape && *entry.escape >= entry.codewords)) {
    fields.fail("has a level with a parameter out of range");
  }
  if ((entry.filter_bits == 0) != (entry.filter_bytes == 0) ||
      (entry.filter_bits == 0 && entry.dominant != 0)) {
    fields.fail("has a level with a part of a filter");
  }
  if (entry.plain ? entry.codewords != 0 || entry.code_bits != 0 || entry.partition_bits != 0 ||
                        entry.filter_bits != 0
                  : entry.codewords == 0) {
    fields.fail("has a level with parameters of another kind");
  }
  return entry;
}

}  // namespace

file::Bytes encode(const Header& header) {
  file::Bytes bytes(kHeaderBytes);
  file::store_le(bytes.data(), header.n);
  file::store_le(bytes.data() + 8, header.entropy);
  bytes[16] = static_cast<std::byte>(header.width);
  bytes[17] = static_cast<std::byte>(header.levels);
  return bytes;
}

file::Bytes encode(const LevelEntry& entry) {
  file::Bytes bytes(kEntryBytes);
  bytes[0] = static_cast<std::byte>(entry.plain ? kPlainLevel : kCodedLevel);
  bytes[1] = static_cast<std::byte>(entry.filter_bits);
  bytes[2] = static_cast<std::byte>(entry.code_bits);
  bytes[3] = static_cast<std::byte>(entry.partition_bits);
  file::store_le(bytes.data() + 4, entry.codewords);
  file::store_le(bytes.data() + 8, entry.escape.value_or(kNoEscape));
  file::store_le(bytes.data() + 16, entry.dominant);
  file::store_le(bytes.data() + 24, entry.filter_bytes);
  file::store_le(bytes.data() + 32, entry.body_bytes);
  return bytes;
}

Header decode_header(file::ByteView section) {
  file::FieldReader fields(section, "coded section");
  Header header{};
  header.n = fields.u64();
  header.entropy = fields.u64();
  header.width = fields.u8();
  header.levels = fields.u8();
  fields.align(kHeaderBytes);
  if (header.width > 64 || header.levels > kMaxLevels || (header.levels == 0) != (header.n == 0) ||
      header.entropy >> 38 != 0) {
    fields.fail("has a parameter out of range");
  }
  return header;
}

std::vector<LevelEntry> decode_entries(const Header& header, file::ByteView section) {
  file::FieldReader fields(section, "coded section");
  const std::uint64_t bytes = header.levels * kEntryBytes;
  if (section.size() < kHeaderBytes + bytes) fields.fail("ends before its table of levels");
  fields = file::FieldReader(section.last(bytes), "coded section");
  std::vector<LevelEntry> entries;
  for (unsigned level = 0; level < header.levels; ++level) {
    entries.push_back(decode_entry(fields));
    const bool last = level + 1 == header.levels;
    if (entries.back().escape.has_value() == last) {
      fields.fail("has a level that escapes to none, or one that none escapes to");
    }
  }
  return entries;
}

}  // namespace crivo::coded
