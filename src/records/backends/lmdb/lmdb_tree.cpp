// SPDX-License-Identifier: Apache-2.0
#include "records/backends/lmdb/lmdb_tree.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "hashing/stream_hash.hpp"

namespace crivo::records::lmdb {
namespace {

/// As much of the first page as the smallest of pages has.
constexpr std::uint32_t kLeastPage = 512;
constexpr std::uint32_t kMostPage = 32768;

std::uint32_t page_size_of(const base::FileDescriptor& file) {
  constexpr std::size_t kPageSizeAt = kPageHeader + 24;
  Page front(kLeastPage);
  if (!file.read_at(0, std::span(front.bytes()))) fail("it is cut short");
  check_magic(front);
  const auto size = front.field<std::uint32_t>(kPageSizeAt);
  if (!std::has_single_bit(size) || size < kLeastPage || size > kMostPage) {
    fail("its page size makes no sense");
  }
  return size;
}

/// One walk: of each level of the tree a page is at hand.
class Walk {
 public:
  Walk(const TreeFile& file, const Meta& meta, const Table& table, const TreeFile::Visit& visit)
      : file_(file),
        last_page_(meta.last_page),
        visit_(visit),
        levels_(table.depth, Page(file.page_size())) {}

  /// Checks the pages below `number`, and those of levels from `level` up to the leaves, whose keys
  /// are all at least `least`.
  void check_below(std::uint64_t number, std::size_t level, std::uint64_t least) {
    if (number < kMetaPages || number > last_page_) fail("a page lies outside the tree");
    if (++pages_ > last_page_) fail("it has a cycle");
    Page& page = levels_[level];
    file_.read_page(number, page);
    const bool is_leaf = level + 1 == levels_.size();
    if (page.number() != number || page.flags() != (is_leaf ? kLeafFlag : kBranchFlag)) {
      fail("a page is of the wrong kind");
    }
    if (visit_.page) visit_.page(page);
    if (is_leaf) {
      check_leaf(page, least);
      return;
    }
    page.check_branch();
    const std::size_t nodes = page.nodes();
    for (std::size_t i = 0; i < nodes; ++i) {
      if (i != 0) {
        const auto parting = page.field<std::uint64_t>(page.node(i) + kNodeHeader);
        if (parting < least || is_passed(parting))
          fail("a branch splits its keys at the wrong place");
        least = parting;
      }
      check_below(page.child(i), level + 1, least);
    }
  }

 private:
  /// Whether a key as great as this came before.
  bool is_passed(std::uint64_t key) const noexcept { return has_key_ && key <= last_key_; }

  void check_leaf(const Page& page, std::uint64_t least) {
    const std::size_t nodes = page.nodes();
    if (nodes == 0) fail("a leaf is empty");
    for (std::size_t i = 0; i < nodes; ++i) {
      const LeafNode node = leaf_node(page, i, last_page_, file_.page_size());
      if (node.key < least || is_passed(node.key)) fail("its keys do not ascend");
      has_key_ = true;
      last_key_ = node.key;
      visit_.node(page, node);
    }
  }

  const TreeFile& file_;
  std::uint64_t last_page_;
  const TreeFile::Visit& visit_;
  std::vector<Page> levels_;
  std::uint64_t pages_ = 0;
  bool has_key_ = false;
  std::uint64_t last_key_ = 0;
};

}  // namespace

TreeFile::TreeFile(const base::FileDescriptor& file, std::uint32_t page_size)
    : file_(file), page_size_(page_size), metas_{} {
  Page page(page_size);
  for (std::uint64_t number = 0; number < kMetaPages; ++number) {
    read_page(number, page);
    metas_[number] = decode_meta(page, page_size);
  }
}

TreeFile::TreeFile(const base::FileDescriptor& file) : TreeFile(file, page_size_of(file)) {}

const Meta& TreeFile::last_meta() const noexcept {
  return metas_[metas_[0].transaction < metas_[1].transaction ? 1 : 0];
}

void TreeFile::check_length(const Meta& meta) const {
  if (meta.last_page >= file_.size() / page_size_) fail("it ends before its last page");
}

void TreeFile::read_page(std::uint64_t number, Page& page) const {
  if (!file_.read_at(number * page_size_, std::span(page.bytes()))) fail("it is cut short");
}

void TreeFile::read_value(const LeafValue& node, std::span<std::byte> bytes) const {
  if (node.first_page == 0) {
    std::ranges::copy(node.value.first(bytes.size()), bytes.begin());
  } else if (!file_.read_at(node.first_page * page_size_ + kPageHeader, bytes)) {
    fail("it is cut short");
  }
}

void TreeFile::walk(const Meta& meta, const Table& table, const Visit& visit) const {
  check_length(meta);
  if (table.depth > kMaxDepth) fail("its depth makes no sense");
  if (table.depth == 0) {
    if (table.root != kNoPage) fail("its depth makes no sense");
    return;
  }
  Walk(*this, meta, table, visit).check_below(table.root, 0, 0);
}

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

namespace crivo::records {
namespace {

using lmdb::fail;
using lmdb::LeafNode;
using lmdb::Page;
using lmdb::TreeFile;

std::uint64_t begin_of(const Page& page, const LeafNode& node, std::uint32_t page_size) {
  if (node.first_page != 0) return node.first_page * page_size + lmdb::kPageHeader;
  return page.number() * page_size +
         static_cast<std::uint64_t>(node.value.data() - page.bytes().data());
}

}  // namespace

TreeScan scan_tree(const base::FileDescriptor& file, std::uint32_t page_size,
                   const GroupVisit& visit) {
  TreeScan result;
  hashing::StreamHash hash;
  const TreeFile tree(file, page_size);
  Page meta_page(page_size);
  for (std::uint64_t number = 0; number < lmdb::kMetaPages; ++number) {
    tree.read_page(number, meta_page);
    hash.add(meta_page.bytes());
  }
  const lmdb::Meta& meta = tree.last_meta();
  if (meta.main.flags != lmdb::kIntegerKeyFlag) fail("its keys are no integers");
  if (meta.main.depth == 0) fail("its depth makes no sense");
  const auto add = [&](const Page& page, const LeafNode& node) {
    if (node.key == kIdentityKey) {
      if (node.first_page == 0) result.identity = Identity::decode(node.value);
      if (!result.identity) fail("its identity is unreadable");
      return;
    }
    result.last_rank = node.key;
    result.max_group = std::max(result.max_group, node.size);
    ++result.groups;
    if (visit) visit(node.key, begin_of(page, node, page_size));
  };
  tree.walk(meta, meta.main, {[&](const Page& page) { hash.add(page.bytes()); }, add});
  result.structure_hash = hash.value();
  return result;
}

}  // namespace crivo::records
