// SPDX-License-Identifier: Apache-2.0
#include "records/backends/lmdb/lmdb_page.hpp"

#include <string>

#include "crivo/error.hpp"

namespace crivo::records::lmdb {

namespace {

constexpr std::uint32_t kMagic = 0xbeefc0de;
constexpr std::uint32_t kDataVersion = 1;

}  // namespace

void fail(std::string_view problem) {
  throw Error(ErrorKind::corrupt, "its B+tree is damaged: " + std::string(problem));
}

std::size_t Page::nodes() const {
  const std::size_t lower = field<std::uint16_t>(12);
  const std::size_t upper = field<std::uint16_t>(14);
  if (lower < kPageHeader || lower % 2 != 0 || lower > upper || upper > bytes_.size()) {
    fail("a page's free space is impossible");
  }
  return (lower - kPageHeader) / 2;
}

std::size_t Page::node(std::size_t index) const {
  const std::size_t offset = field<std::uint16_t>(kPageHeader + 2 * index);
  if (offset < field<std::uint16_t>(14) || offset % 2 != 0) fail("a node is misplaced");
  return offset;
}

void Page::check_branch() const {
  const std::size_t count = nodes();
  if (count < 2) fail("a branch has a single child");
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = node(i);
    const std::size_t key_size = field<std::uint16_t>(at + 6);
    if (i > 0 && key_size != kKeySize) fail("a key is no 64-bit integer");
    range(at + kNodeHeader, key_size);
  }
}

std::uint64_t Page::child(std::size_t index) const {
  const std::size_t at = node(index);
  return field<std::uint16_t>(at) | std::uint64_t{field<std::uint16_t>(at + 2)} << 16 |
         std::uint64_t{field<std::uint16_t>(at + 4)} << 32;
}

Table decode_table(base::ByteView bytes) {
  return {.flags = base::load_le<std::uint16_t>(bytes.data() + 4),
          .depth = base::load_le<std::uint16_t>(bytes.data() + 6),
          .entries = base::load_le<std::uint64_t>(bytes.data() + 32),
          .root = base::load_le<std::uint64_t>(bytes.data() + 40)};
}

void check_magic(const Page& front) {
  if (front.flags() != kMetaFlag || front.field<std::uint32_t>(kPageHeader) != kMagic ||
      front.field<std::uint32_t>(kPageHeader + 4) != kDataVersion) {
    fail("it is no LMDB file");
  }
}

Meta decode_meta(const Page& page, std::uint32_t page_size) {
  constexpr std::size_t kFreeTable = kPageHeader + 24;
  constexpr std::size_t kMainTable = kFreeTable + kTableBytes;
  constexpr std::size_t kAfterTables = kMainTable + kTableBytes;
  check_magic(page);
  // The first table's first field holds the page size.
  if (page.field<std::uint32_t>(kFreeTable) != page_size) fail("it has another page size");
  return {.main = decode_table(page.range(kMainTable, kTableBytes)),
          .last_page = page.field<std::uint64_t>(kAfterTables),
          .transaction = page.field<std::uint64_t>(kAfterTables + 8)};
}

LeafEntry leaf_entry(const Page& page, std::size_t index, std::uint64_t last_page,
                     std::uint32_t page_size) {
  const std::size_t at = page.node(index);
  const std::size_t key_size = page.field<std::uint16_t>(at + 6);
  const std::size_t data = at + kNodeHeader + key_size;
  LeafEntry entry;
  entry.size = page.field<std::uint16_t>(at) | std::uint64_t{page.field<std::uint16_t>(at + 2)}
                                                   << 16;
  entry.key = page.range(at + kNodeHeader, key_size);
  entry.flags = page.field<std::uint16_t>(at + 4);
  if (entry.flags != kOverflowNodeFlag) {
    entry.value = page.range(data, entry.size);
    return entry;
  }
  entry.first_page = page.field<std::uint64_t>(data);
  const std::uint64_t count = overflow_pages(entry.size, page_size);
  if (entry.first_page < kMetaPages || entry.first_page > last_page ||
      last_page - entry.first_page < count - 1) {
    fail("a value lies outside the file");
  }
  return entry;
}

LeafNode leaf_node(const Page& page, std::size_t index, std::uint64_t last_page,
                   std::uint32_t page_size) {
  const LeafEntry entry = leaf_entry(page, index, last_page, page_size);
  if (entry.key.size() != kKeySize) fail("a key is no 64-bit integer");
  if (entry.flags != 0 && entry.flags != kOverflowNodeFlag) fail("a node is of an unknown kind");
  LeafNode node;
  static_cast<LeafValue&>(node) = entry.its_value();
  node.key = base::load_le<std::uint64_t>(entry.key.data());
  return node;
}

}  // namespace crivo::records::lmdb
