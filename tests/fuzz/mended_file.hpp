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
#include "file/page_sums.hpp"
#include "file/section_types.hpp"
#include "support/sealed.hpp"

namespace crivo::fuzz {

struct FileSection {
  std::uint32_t type = 0;
  std::uint64_t tag = 0;
  std::uint64_t alignment = file::layout::kAlignment;
  std::uint64_t unused = 0;
  base::Bytes bytes{};
  std::uint64_t list_check = 0;  ///< of page sums
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

/// What a file tells of its sections that is not so, though every checksum fits.
enum class Lie : std::uint8_t { none, hash_of_nothing, leaves, list_of_page_sums, page, piece };

struct FileParts {
  FileHeader header;
  Lie lie = Lie::none;
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

/// Puts the sections of a file behind each other, with all sums and hashes of them.
class FileBody {
 public:
  explicit FileBody(std::uint32_t kind, Lie lie = Lie::none)
      : lie_(lie),
        tree_(is_dealt(kind) ? file::HashTree::none : file::HashTree::sha256),
        lacks_page_sums_(!is_dealt(kind) &&
                         file::tags_of(file::Kind{kind}, file::kPageSumsSection) != 0) {}

  void add(const FileSection& section) {
    align(section.alignment);
    const bool has_hash = section.type != file::kLeavesSection && tree_ != file::HashTree::none;
    file::ChunkHashes hashes(has_hash ? tree_ : file::HashTree::none);
    hashes.add(section.bytes);
    file::ChunkHashes::Hashes made = hashes.finish();
    table_.u32(section.type).u32(0).u64(end()).u64(section.bytes.size());
    table_.u32(static_cast<std::uint32_t>(section.alignment)).u32(0);
    table_.u64(XXH3_64bits(made.sums.data(), made.sums.size())).u64(section.tag);
    table_.u64(section.list_check).u64(section.unused);
    if (!has_hash) {
      table_.zeros(file::tree::kHashBytes);
    } else {
      file::tree::Lists lists = file::tree::lists_of(std::move(made.leaves));
      if (lie_ == Lie::hash_of_nothing && section.bytes.empty()) lists.hash[0] ^= std::byte{1};
      if (lie_ == Lie::leaves && !lists.bytes.empty()) lists.bytes[0] ^= std::byte{1};
      table_.bytes(lists.hash);
      if (section.bytes.size() > file::layout::kChunkBytes) leaves_.bytes(lists.bytes);
    }
    body_.bytes(section.bytes);
    section.type == file::kUnitSection ? pages_.skip(section.bytes) : pages_.add(section.bytes);
    sums_.bytes(made.sums);
    ++sections_;
  }

  /// Adds the sums of the pages up to here, once, if a writer gives such a file any.
  void add_page_sums() {
    if (!lacks_page_sums_ || !file::page_sums::are_of(end())) return;
    lacks_page_sums_ = false;
    const file::page_sums::Shape shape(end());
    FileSection section{.type = file::kPageSumsSection, .alignment = shape.alignment()};
    section.bytes = pages_.finish();
    if (lie_ == Lie::page) section.bytes[4] ^= std::byte{1};
    if (lie_ == Lie::piece) section.bytes.back() ^= std::byte{1};
    section.list_check = file::page_sums::check_of(section.bytes, shape);
    if (lie_ == Lie::list_of_page_sums) ++section.list_check;
    add(section);
  }

  /// Ends it with the leaves and the sums of chunks. Call once, before the table is taken.
  void finish() {
    if (!leaves_.view().empty()) add({.type = file::kLeavesSection, .bytes = leaves_.take()});
    align(file::layout::kAlignment);
    body_.bytes(sums_.view());
  }

  std::uint64_t end() const { return file::layout::kHeaderBytes + body_.view().size(); }
  base::ByteView bytes() const { return body_.view(); }
  base::ByteView table() const { return table_.view(); }
  std::uint32_t sections() const { return sections_; }
  file::HashTree tree() const { return tree_; }

 private:
  static bool is_dealt(std::uint32_t kind) {
    return kind == static_cast<std::uint32_t>(file::Kind::keys) ||
           kind == static_cast<std::uint32_t>(file::Kind::totals);
  }
  void align(std::uint64_t unit) {
    const base::Bytes zeros(base::align_up(end(), unit) - end());
    body_.bytes(zeros);
    pages_.add(zeros);
  }

  Lie lie_;
  file::HashTree tree_;
  bool lacks_page_sums_;
  base::FieldWriter body_;
  base::FieldWriter sums_;
  base::FieldWriter table_;
  base::FieldWriter leaves_;
  file::page_sums::Writer pages_;
  std::uint32_t sections_ = 0;
};

/// The file of the parts, sound in all that is not theirs. Its leaves are made anew, and the sums
/// of its pages, if it is so long that a writer gives it any.
inline base::Bytes put_together(const FileParts& parts) {
  using namespace file::layout;
  FileBody body(parts.header.kind, parts.lie);
  for (const FileSection& section : parts.sections) {
    if (section.type == file::kLeavesSection || section.type == file::kPageSumsSection) continue;
    if (section.type == file::kDirectorySection) body.add_page_sums();
    body.add(section);
  }
  body.add_page_sums();
  body.finish();
  const std::uint64_t length = body.end() + body.table().size() + kFooterBytes;
  const FileHeader& given = parts.header;
  const base::ByteView unused = given.unused;
  base::FieldWriter whole;
  whole.bytes(magic()).u16(0).u16(given.minor_version);
  whole.u32(static_cast<std::uint32_t>(kHeaderBytes)).u64(0).u64(0).u64(length).u64(body.end());
  whole.u32(body.sections()).u32(given.kind);
  whole.u64(given.keys).u64(given.seed).u32(given.key_hash);
  whole.u16(given.value_type).u16(given.scale).bytes(given.ids);
  whole.u32(static_cast<std::uint32_t>(body.tree())).zeros(36).bytes(unused.first(32));
  whole.u64(0).bytes(body.bytes()).bytes(body.table());
  whole.u64(0).bytes(unused.subspan(32)).u64(length).u64(0).bytes(inverted_magic());
  base::Bytes bytes = whole.take();
  test::seal(bytes);
  return bytes;
}

}  // namespace crivo::fuzz
