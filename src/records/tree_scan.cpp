// SPDX-License-Identifier: Apache-2.0
#include "records/tree_scan.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "crivo/error.hpp"
#include "hashing/stream_hash.hpp"
#include "records/lmdb_page.hpp"

namespace crivo::records {

namespace {

using lmdb::fail;
using lmdb::Meta;
using lmdb::Page;

class Scanner {
 public:
  Scanner(const base::FileDescriptor& file, std::uint64_t file_size, std::uint32_t page_size,
          const GroupVisit& visit)
      : file_(file), file_pages_(file_size / page_size), page_size_(page_size), visit_(visit) {}

  TreeScan scan() {
    const Meta first = read_meta(0);
    const Meta second = read_meta(1);
    const Meta& meta = first.transaction < second.transaction ? second : first;
    if (meta.last_page >= file_pages_) fail("it ends before its last page");
    last_page_ = meta.last_page;
    if (meta.flags != lmdb::kIntegerKeyFlag) fail("its keys are no integers");
    if (meta.depth == 0 || meta.depth > lmdb::kMaxDepth) fail("its depth makes no sense");
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
    return lmdb::decode_meta(page, page_size_);
  }

  void load_tree_page(std::uint64_t number, std::uint16_t flag, Page& page) {
    if (number < lmdb::kMetaPages || number > last_page_) fail("a page lies outside the tree");
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
      load_tree_page(number, is_leaf ? lmdb::kLeafFlag : lmdb::kBranchFlag, step.page);
      if (is_leaf) {
        read_leaf(step.page);
        path.pop_back();
      } else {
        step.page.check_branch();
      }
      while (!path.empty() && path.back().next == path.back().page.nodes()) path.pop_back();
      if (path.empty()) return;
      number = path.back().page.child(path.back().next++);
    }
  }

  std::uint64_t begin_of(Page& page, const lmdb::LeafNode& node) const {
    if (node.first_page != 0) return node.first_page * page_size_ + lmdb::kPageHeader;
    return page.number() * page_size_ +
           static_cast<std::uint64_t>(node.value.data() - page.bytes().data());
  }

  void read_leaf(Page& page) {
    const std::size_t nodes = page.nodes();
    if (nodes == 0) fail("a leaf is empty");
    for (std::size_t i = 0; i < nodes; ++i) {
      const lmdb::LeafNode node = lmdb::leaf_node(page, i, last_page_, page_size_);
      if (result_.identity || (result_.last_rank && node.key <= *result_.last_rank)) {
        fail("its keys do not ascend");
      }
      if (node.key == kIdentityKey) {
        if (node.first_page == 0) result_.identity = Identity::decode(node.value);
        if (!result_.identity) fail("its identity is unreadable");
      } else {
        result_.last_rank = node.key;
        result_.max_group = std::max(result_.max_group, node.size);
        ++result_.groups;
        if (visit_) visit_(node.key, begin_of(page, node));
      }
    }
  }

  const base::FileDescriptor& file_;
  std::uint64_t file_pages_;
  std::uint32_t page_size_;
  const GroupVisit& visit_;
  std::uint64_t last_page_ = 0;
  std::uint64_t pages_read_ = 0;
  hashing::StreamHash hash_;
  TreeScan result_;
};

}  // namespace

TreeScan scan_tree(const base::FileDescriptor& file, std::uint64_t file_size,
                   std::uint32_t page_size, const GroupVisit& visit) {
  return Scanner(file, file_size, page_size, visit).scan();
}

}  // namespace crivo::records
