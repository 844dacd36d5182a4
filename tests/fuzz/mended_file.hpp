/// A container put right around what a fuzzer made of it, so that its sections are read.
#pragma once

#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "bits/arithmetic.hpp"
#include "file/layout.hpp"

namespace crivo::fuzz {

struct FileSection {
  std::uint32_t type = 0;
  base::Bytes bytes;
};

/// What may lie in a header.
struct FileHeader {
  std::uint16_t minor_version = 0;
  std::uint32_t kind = 0;
  std::uint64_t keys = 0;
  std::uint64_t seed = 0;
  std::uint32_t key_hash = 0;
  base::Bytes content_id;
};

struct FileParts {
  FileHeader header;
  std::vector<FileSection> sections;
};

/// What `bytes` has, read as a file whose table stands at its end, where offsets and lengths that
/// lead out of it are cut.
inline FileParts take_apart(base::ByteView bytes) {
  using namespace file::layout;
  constexpr std::uint64_t kMostSections = 16;
  FileParts parts;
  base::Bytes padded(bytes.begin(), bytes.end());
  padded.resize(std::max<std::size_t>(padded.size(), kHeaderBytes + kFooterBytes));
  const std::byte* const at = padded.data();
  FileHeader& header = parts.header;
  header.minor_version = base::load_le<std::uint16_t>(at + 10);
  header.kind = base::load_le<std::uint32_t>(at + 52);
  header.keys = base::load_le<std::uint64_t>(at + 56);
  header.seed = base::load_le<std::uint64_t>(at + 64);
  header.key_hash = base::load_le<std::uint32_t>(at + 72);
  header.content_id.assign(at + 80, at + 96);
  const std::uint64_t room = padded.size() - kHeaderBytes - kFooterBytes;
  const std::uint64_t count = std::min<std::uint64_t>(
      {base::load_le<std::uint32_t>(at + 48), kMostSections, room / kEntryBytes});
  const std::uint64_t table = padded.size() - kFooterBytes - count * kEntryBytes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::byte* const entry = at + table + i * kEntryBytes;
    const std::uint64_t offset = std::min(base::load_le<std::uint64_t>(entry + 8), table);
    const std::uint64_t length = std::min(base::load_le<std::uint64_t>(entry + 16), table - offset);
    parts.sections.push_back(
        {base::load_le<std::uint32_t>(entry), {at + offset, at + offset + length}});
  }
  return parts;
}

/// The file of the parts, sound in all that is not theirs.
inline base::Bytes put_together(const FileParts& parts) {
  using namespace file::layout;
  base::FieldWriter sections;
  base::FieldWriter table;
  for (const FileSection& section : parts.sections) {
    const std::uint64_t offset = kHeaderBytes + sections.view().size();
    const std::uint64_t length = section.bytes.size();
    table.u32(section.type).u32(0).u64(offset).u64(length);
    table.u32(static_cast<std::uint32_t>(kAlignment)).u32(0);
    table.u64(XXH3_64bits(section.bytes.data(), length)).u64(0);
    sections.bytes(section.bytes).align(kAlignment);
  }
  const std::uint64_t table_offset = kHeaderBytes + sections.view().size();
  const std::uint64_t length = table_offset + table.view().size() + kFooterBytes;
  const FileHeader& given = parts.header;
  base::FieldWriter header;
  header.bytes(magic()).u16(1).u16(given.minor_version);
  header.u32(static_cast<std::uint32_t>(kHeaderBytes)).u64(0).u64(0).u64(length).u64(table_offset);
  header.u32(static_cast<std::uint32_t>(parts.sections.size())).u32(given.kind);
  header.u64(given.keys).u64(given.seed).u32(given.key_hash).u32(0);
  header.bytes(given.content_id).zeros(24);
  const base::Bytes checked = base::FieldWriter().bytes(header.view()).bytes(table.view()).take();
  const std::uint64_t checksum = XXH3_64bits(checked.data(), checked.size());
  base::FieldWriter whole;
  whole.bytes(header.view()).u64(checksum).bytes(sections.view()).bytes(table.view());
  return whole.u64(length).u64(checksum).bytes(inverted_magic()).take();
}

}  // namespace crivo::fuzz
