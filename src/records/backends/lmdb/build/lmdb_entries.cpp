// SPDX-License-Identifier: Apache-2.0
#include "records/backends/lmdb/build/lmdb_entries.hpp"

#include <algorithm>

namespace crivo::records::lmdb {

namespace {

/// One walk: of each level of the tree a page is at hand.
class LeafWalk {
 public:
  LeafWalk(const TreeFile& file, const Meta& meta, std::size_t depth,
           const std::function<void(const Page&)>& visit)
      : file_(file),
        last_page_(meta.last_page),
        visit_(visit),
        levels_(depth, Page(file.page_size())) {}

  void visit_below(std::uint64_t number, std::size_t level) {
    if (number < kMetaPages || number > last_page_) fail("a page lies outside the tree");
    if (++pages_ > last_page_) fail("it has a cycle");
    Page& page = levels_[level];
    const bool is_leaf = level + 1 == levels_.size();
    file_.read_page(number, page);
    if (page.number() != number || page.flags() != (is_leaf ? kLeafFlag : kBranchFlag)) {
      fail("a page is of the wrong kind");
    }
    if (is_leaf) return visit_(page);
    const std::size_t nodes = page.nodes();
    for (std::size_t i = 0; i < nodes; ++i) visit_below(page.child(i), level + 1);
  }

 private:
  const TreeFile& file_;
  std::uint64_t last_page_;
  const std::function<void(const Page&)>& visit_;
  std::vector<Page> levels_;
  std::uint64_t pages_ = 0;
};

}  // namespace

void for_each_leaf(const TreeFile& file, const Meta& meta, const Table& table,
                   const std::function<void(const Page& page)>& visit) {
  if (table.depth > kMaxDepth || (table.depth == 0) != (table.root == kNoPage)) {
    fail("its depth makes no sense");
  }
  if (table.depth != 0) LeafWalk(file, meta, table.depth, visit).visit_below(table.root, 0);
}

EntryTable::EntryTable(const TreeFile& file, const Meta& meta, const Table& table)
    : file_(file), last_page_(meta.last_page) {
  for_each_leaf(file, meta, table, [&](const Page& page) {
    leaves_.push_back({size_, bytes_, page.number()});
    const std::size_t nodes = page.nodes();
    size_ += nodes;
    for (std::size_t i = 0; i < nodes; ++i) {
      const LeafEntry entry = leaf_entry(page, i, last_page_, file.page_size());
      has_repeated_keys_ = has_repeated_keys_ || (entry.flags & kRepeatedNodeFlag) != 0;
      bytes_ += entry.key.size() + entry.size;
    }
  });
}

std::size_t EntryTable::leaf_of(std::uint64_t entry) const noexcept {
  const auto after = std::ranges::upper_bound(leaves_, entry, {}, &Leaf::first);
  return static_cast<std::size_t>(after - leaves_.begin()) - 1;
}

std::uint64_t EntryTable::bytes(std::uint64_t begin, std::uint64_t end) const noexcept {
  const auto bytes_before = [&](std::uint64_t entry) -> std::uint64_t {
    if (entry >= size_) return bytes_;
    const std::size_t at = leaf_of(entry);
    const bool is_last = at + 1 == leaves_.size();
    const Leaf& leaf = leaves_[at];
    const std::uint64_t entries = (is_last ? size_ : leaves_[at + 1].first) - leaf.first;
    const std::uint64_t all = (is_last ? bytes_ : leaves_[at + 1].bytes) - leaf.bytes;
    return leaf.bytes + all / entries * (entry - leaf.first);
  };
  return bytes_before(end) - bytes_before(begin);
}

void EntryTable::read(std::uint64_t begin, std::uint64_t end, const VisitEntry& visit) const {
  if (begin == end) return;
  Page page(file_.page_size());
  for (std::size_t at = leaf_of(begin); begin < end; ++at) {
    const Leaf& leaf = leaves_[at];
    const std::uint64_t after = at + 1 == leaves_.size() ? size_ : leaves_[at + 1].first;
    file_.read_page(leaf.page, page);
    if (page.flags() != kLeafFlag || page.nodes() != after - leaf.first) {
      fail("a page changed while it was read");
    }
    for (; begin < std::min(after, end); ++begin) {
      visit(leaf_entry(page, static_cast<std::size_t>(begin - leaf.first), last_page_,
                       file_.page_size()));
    }
  }
}

}  // namespace crivo::records::lmdb
