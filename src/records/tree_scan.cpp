#include "records/tree_scan.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "hashing/stream_hash.hpp"

namespace crivo::records {

namespace {

// LMDB's data version 1, as a 64-bit little-endian machine writes it. A page: u64 its number; u16;
// u16 flags; u16 lower and u16 upper end of the free space; u16 the offset of each node. A node:
// u16 and u16 the low and high half of the data's length (in a leaf), u16 flags, u16 key length,
// key, data. In a branch the first three are a page number of 48 bits, and the first node's key is
// not used.
constexpr std::uint64_t kMetaPages = 2;
constexpr std::size_t kPageHeader = 16;
constexpr std::size_t kNodeHeader = 8;
constexpr std::size_t kKeySize = 8;
constexpr std::uint32_t kLmdbMagic = 0xbeefc0de;
constexpr std::uint32_t kDataVersion = 1;
constexpr std::uint16_t kBranchFlag = 0x01;
constexpr std::uint16_t kLeafFlag = 0x02;
constexpr std::uint16_t kMetaFlag = 0x08;
constexpr std::uint16_t kIntegerKeyFlag = 0x08;
constexpr std::uint16_t kOverflowNodeFlag = 0x01;
constexpr std::uint16_t kMaxDepth = 32;

[[noreturn]] void fail(std::string_view problem) {
  throw Error(ErrorKind::corrupt, "its B+tree is damaged: " + std::string(problem));
}

// One page, with every access checked.
class Page {
 public:
  explicit Page(std::uint32_t size) : bytes_(size) {}

  base::Bytes& bytes() noexcept { return bytes_; }

  template <typename Int>
  Int field(std::size_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(Int))
      fail("a node leaves its page");
    return base::load_le<Int>(bytes_.data() + offset);
  }
  base::ByteView range(std::size_t offset, std::size_t size) const {
    if (offset > bytes_.size() || bytes_.size() - offset < size) fail("a node leaves its page");
    return base::ByteView(bytes_).subspan(offset, size);
  }

  std::uint64_t number() const { return field<std::uint64_t>(0); }
  std::uint16_t flags() const { return field<std::uint16_t>(10); }
  // The number of nodes of a branch or leaf page.
  std::size_t nodes() const {
    const std::size_t lower = field<std::uint16_t>(12);
    const std::size_t upper = field<std::uint16_t>(14);
    if (lower < kPageHeader || lower % 2 != 0 || lower > upper || upper > bytes_.size()) {
      fail("a page's free space makes no sense");
    }
    return (lower - kPageHeader) / 2;
  }
  // The offset of node `index`, below nodes(). Nodes stand at even offsets.
  std::size_t node(std::size_t index) const {
    const std::size_t offset = field<std::uint16_t>(kPageHeader + 2 * index);
    if (offset < field<std::uint16_t>(14) || offset % 2 != 0) fail("a node is misplaced");
    return offset;
  }

 private:
  base::Bytes bytes_;
};

struct Meta {
  std::uint64_t root;
  std::uint64_t last_page;
  std::uint64_t transaction;
  std::uint16_t flags;  // of the main database
  std::uint16_t depth;
};

class Scanner {
 public:
  Scanner(const base::FileDescriptor& file, std::uint64_t file_size, std::uint32_t page_size)
      : file_(file), file_pages_(file_size / page_size), page_size_(page_size) {}

  TreeScan scan() {
    const Meta first = read_meta(0);
    const Meta second = read_meta(1);
    const Meta& meta = first.transaction < second.transaction ? second : first;
    if (meta.last_page >= file_pages_) fail("it ends before its last page");
    last_page_ = meta.last_page;
    if (meta.flags != kIntegerKeyFlag) fail("its keys are no integers");
    if (meta.depth == 0 || meta.depth > kMaxDepth) fail("its depth makes no sense");
    walk(meta.root, meta.depth);
    result_.structure_hash = hash_.value();
    return result_;
  }

 private:
  // A page on the path from the root, and the node of it that comes next.
  struct Step {
    Page page;
    std::size_t next = 0;
  };

  void load(std::uint64_t number, Page& page) {
    if (++pages_read_ > file_pages_) fail("it has a cycle");
    if (number >= file_pages_ || !file_.read_at(number * page_size_, std::span(page.bytes()))) {
      fail("a page lies outside the file");
    }
    hash_.add(page.bytes());
  }

  Meta read_meta(std::uint64_t number) {
    Page page(page_size_);
    load(number, page);
    constexpr std::size_t kFreeTable = kPageHeader + 24;
    constexpr std::size_t kMainTable = kFreeTable + 48;
    constexpr std::size_t kAfterTables = kMainTable + 48;
    if (page.flags() != kMetaFlag || page.field<std::uint32_t>(kPageHeader) != kLmdbMagic ||
        page.field<std::uint32_t>(kPageHeader + 4) != kDataVersion) {
      fail("it is no LMDB file");
    }
    // The first table's first field holds the page size.
    if (page.field<std::uint32_t>(kFreeTable) != page_size_) fail("it has another page size");
    return {.root = page.field<std::uint64_t>(kMainTable + 40),
            .last_page = page.field<std::uint64_t>(kAfterTables),
            .transaction = page.field<std::uint64_t>(kAfterTables + 8),
            .flags = page.field<std::uint16_t>(kMainTable + 4),
            .depth = page.field<std::uint16_t>(kMainTable + 6)};
  }

  void load_tree_page(std::uint64_t number, std::uint16_t flag, Page& page) {
    if (number < kMetaPages || number > last_page_) fail("a page lies outside the tree");
    load(number, page);
    if (page.number() != number || page.flags() != flag) fail("a page is of the wrong kind");
  }

  void walk(std::uint64_t root, std::uint16_t depth) {
    std::vector<Step> path;
    path.reserve(depth);
    std::uint64_t number = root;
    while (true) {
      const bool is_leaf = path.size() + 1U == depth;
      Step& step = path.emplace_back(Page(page_size_));
      load_tree_page(number, is_leaf ? kLeafFlag : kBranchFlag, step.page);
      if (is_leaf) {
        read_leaf(step.page);
        path.pop_back();
      } else {
        check_branch(step.page);
      }
      while (!path.empty() && path.back().next == path.back().page.nodes()) path.pop_back();
      if (path.empty()) return;
      number = child(path.back().page, path.back().next++);
    }
  }

  static void check_branch(const Page& page) {
    const std::size_t nodes = page.nodes();
    if (nodes < 2) fail("a branch has a single child");
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t at = page.node(i);
      const std::size_t key_size = page.field<std::uint16_t>(at + 6);
      if (i > 0 && key_size != kKeySize) fail("a key is no 64-bit integer");
      page.range(at + kNodeHeader, key_size);
    }
  }

  static std::uint64_t child(const Page& page, std::size_t index) {
    const std::size_t at = page.node(index);
    return page.field<std::uint16_t>(at) | std::uint64_t{page.field<std::uint16_t>(at + 2)} << 16 |
           std::uint64_t{page.field<std::uint16_t>(at + 4)} << 32;
  }

  void read_leaf(const Page& page) {
    const std::size_t nodes = page.nodes();
    if (nodes == 0) fail("a leaf is empty");
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t at = page.node(i);
      const std::uint64_t size =
          page.field<std::uint16_t>(at) | std::uint64_t{page.field<std::uint16_t>(at + 2)} << 16;
      const std::uint16_t flags = page.field<std::uint16_t>(at + 4);
      if (page.field<std::uint16_t>(at + 6) != kKeySize) fail("a key is no 64-bit integer");
      const auto key = page.field<std::uint64_t>(at + kNodeHeader);
      if (result_.identity || (result_.last_rank && key <= *result_.last_rank)) {
        fail("its keys do not ascend");
      }
      const std::size_t data = at + kNodeHeader + kKeySize;
      if (flags == kOverflowNodeFlag) {
        const auto first = page.field<std::uint64_t>(data);
        const std::uint64_t count = (kPageHeader - 1 + size) / page_size_ + 1;
        if (first < kMetaPages || first > last_page_ || last_page_ - first < count - 1) {
          fail("a value lies outside the file");
        }
      } else if (flags == 0) {
        page.range(data, size);
      } else {
        fail("a node is of an unknown kind");
      }
      if (key == kIdentityKey) {
        if (flags == 0) result_.identity = Identity::decode(page.range(data, size));
        if (!result_.identity) fail("its identity is unreadable");
      } else {
        result_.last_rank = key;
        result_.max_group = std::max(result_.max_group, size);
        ++result_.groups;
      }
    }
  }

  const base::FileDescriptor& file_;
  std::uint64_t file_pages_;
  std::uint32_t page_size_;
  std::uint64_t last_page_ = 0;
  std::uint64_t pages_read_ = 0;
  hashing::StreamHash hash_;
  TreeScan result_;
};

}  // namespace

TreeScan scan_tree(const base::FileDescriptor& file, std::uint64_t file_size,
                   std::uint32_t page_size) {
  return Scanner(file, file_size, page_size).scan();
}

}  // namespace crivo::records
