// SPDX-License-Identifier: Apache-2.0
/// A container put right around what a fuzzer made of it, so that its sections are read.
#pragma once

#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "file/hash_tree.hpp"
#include "file/kind.hpp"
#include "file/layout.hpp"
#include "file/section_types.hpp"
#include "support/sealed.hpp"

namespace crivo::fuzz {

struct FileSection {
  std::uint32_t type = 0;
  std::uint64_t tag = 0;
  std::uint64_t alignment = file::layout::kAlignment;
  std::uint64_t unused = 0;
  base::Bytes bytes;
};

/// What may lie in a header.
struct FileHeader {
  std::uint16_t minor_version = 0;
  std::uint32_t kind = 0;
  std::uint64_t keys = 0;
  std::uint64_t seed = 0;
  std::uint32_t key_hash = 0;
  std::uint16_t value_type = 0;
  std::uint16_t scale = 0;
  base::Bytes ids;     ///< content id and build id
  base::Bytes unused;  ///< of header and footer
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
  header.value_type = base::load_le<std::uint16_t>(at + 76);
  header.scale = base::load_le<std::uint16_t>(at + 78);
  header.ids.assign(at + 80, at + 112);
  header.unused.assign(at + 152, at + 184);
  const std::byte* const footer = at + padded.size() - kFooterBytes;
  header.unused.insert(header.unused.end(), footer + 8, footer + 16);
  const std::uint64_t room = padded.size() - kHeaderBytes - kFooterBytes;
  const std::uint64_t count = std::min<std::uint64_t>(
      {base::load_le<std::uint32_t>(at + 48), kMostSections, room / kEntryBytes});
  const std::uint64_t table = padded.size() - kFooterBytes - count * kEntryBytes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::byte* const entry = at + table + i * kEntryBytes;
    const std::uint64_t offset = std::min(base::load_le<std::uint64_t>(entry + 8), table);
    const std::uint64_t length = std::min(base::load_le<std::uint64_t>(entry + 16), table - offset);
    const bool paged = base::load_le<std::uint32_t>(entry + 24) == kPageAlignment;
    parts.sections.push_back({base::load_le<std::uint32_t>(entry),
                              base::load_le<std::uint64_t>(entry + 40),
                              paged ? kPageAlignment : kAlignment,
                              base::load_le<std::uint64_t>(entry + 56),
                              {at + offset, at + offset + length}});
  }
  return parts;
}

/// The file of the parts, sound in all that is not theirs. Its leaves are made anew; it has no sums
/// of pages, which no file must have.
inline base::Bytes put_together(const FileParts& parts) {
  using namespace file::layout;
  base::FieldWriter body;  // what follows the header up to the table
  base::FieldWriter sums;
  base::FieldWriter table;
  base::FieldWriter leaves;
  std::uint32_t sections = 0;
  const bool is_dealt = parts.header.kind == static_cast<std::uint32_t>(file::Kind::keys) ||
                        parts.header.kind == static_cast<std::uint32_t>(file::Kind::totals);
  const auto tree = is_dealt ? file::HashTree::none : file::HashTree::sha256;
  const auto align = [&](std::uint64_t unit) {
    const std::uint64_t at = kHeaderBytes + body.view().size();
    body.zeros(base::align_up(at, unit) - at);
  };
  const auto add = [&](const FileSection& section) {
    align(section.alignment);
    const std::uint64_t offset = kHeaderBytes + body.view().size();
    const bool has_hash = section.type != file::kLeavesSection && tree != file::HashTree::none;
    file::ChunkHashes hashes(has_hash ? tree : file::HashTree::none);
    hashes.add(section.bytes);
    file::ChunkHashes::Hashes made = hashes.finish();
    table.u32(section.type).u32(0).u64(offset).u64(section.bytes.size());
    table.u32(static_cast<std::uint32_t>(section.alignment)).u32(0);
    table.u64(XXH3_64bits(made.sums.data(), made.sums.size())).u64(section.tag);
    table.u64(0).u64(section.unused);
    if (!has_hash) {
      table.zeros(file::tree::kHashBytes);
    } else {
      const file::tree::Lists lists = file::tree::lists_of(std::move(made.leaves));
      table.bytes(lists.hash);
      if (section.bytes.size() > kChunkBytes) leaves.bytes(lists.bytes);
    }
    body.bytes(section.bytes);
    sums.bytes(made.sums);
    ++sections;
  };
  for (const FileSection& section : parts.sections) {
    if (section.type != file::kLeavesSection && section.type != file::kPageSumsSection)
      add(section);
  }
  if (!leaves.view().empty()) add({.type = file::kLeavesSection, .bytes = leaves.view()});
  align(kAlignment);
  body.bytes(sums.view());
  const std::uint64_t table_offset = kHeaderBytes + body.view().size();
  const std::uint64_t length = table_offset + table.view().size() + kFooterBytes;
  const FileHeader& given = parts.header;
  const base::ByteView unused = given.unused;
  base::FieldWriter whole;
  whole.bytes(magic()).u16(0).u16(given.minor_version);
  whole.u32(static_cast<std::uint32_t>(kHeaderBytes)).u64(0).u64(0).u64(length).u64(table_offset);
  whole.u32(sections).u32(given.kind);
  whole.u64(given.keys).u64(given.seed).u32(given.key_hash);
  whole.u16(given.value_type).u16(given.scale).bytes(given.ids);
  whole.u32(static_cast<std::uint32_t>(tree)).zeros(36).bytes(unused.first(32));
  whole.u64(0).bytes(body.view()).bytes(table.view());
  whole.u64(0).bytes(unused.subspan(32)).u64(length).u64(0).bytes(inverted_magic());
  base::Bytes bytes = whole.take();
  test::seal(bytes);
  return bytes;
}

}  // namespace crivo::fuzz
