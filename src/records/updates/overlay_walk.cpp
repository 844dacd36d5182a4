// SPDX-License-Identifier: Apache-2.0
#include "records/updates/overlay_walk.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "records/lmdb_page.hpp"

namespace crivo::records {

namespace {

using lmdb::fail;
using lmdb::Meta;
using lmdb::Page;

Meta read_meta(const base::FileDescriptor& file, std::uint64_t number, std::uint32_t page_size) {
  Page page(page_size);
  if (!file.read_at(number * page_size, std::span(page.bytes()))) fail("it is cut short");
  return lmdb::decode_meta(page, page_size);
}

class OverlayWalk {
 public:
  OverlayWalk(const base::FileDescriptor& file, std::uint32_t page_size, const Meta& meta,
              const std::function<void(std::uint64_t)>& found)
      : file_(file), page_size_(page_size), meta_(meta), found_(found) {}

  UpdateState walk() {
    if (meta_.flags != lmdb::kIntegerKeyFlag) fail("its keys are no integers");
    if (meta_.depth == 0 || meta_.depth > lmdb::kMaxDepth) fail("its depth makes no sense");
    if (file_.size() / page_size_ <= meta_.last_page) fail("it ends before its last page");
    check_below(meta_.root, meta_.depth, 0);
    if (!state_) fail("it has no state");
    if (state_->totals != totals_) fail("its entries are not those of its state");
    return *state_;
  }

 private:
  /// Checks the pages below `number`, `depth` levels of them, whose keys are all at least `least`.
  void check_below(std::uint64_t number, unsigned depth, std::uint64_t least) {
    if (++pages_ > meta_.last_page) fail("it has a cycle");
    if (number < lmdb::kMetaPages || number > meta_.last_page) fail("a page lies outside the tree");
    Page page(page_size_);
    if (!file_.read_at(number * page_size_, std::span(page.bytes()))) fail("it is cut short");
    const bool is_leaf = depth == 1;
    if (page.number() != number ||
        page.flags() != (is_leaf ? lmdb::kLeafFlag : lmdb::kBranchFlag)) {
      fail("a page is of the wrong kind");
    }
    if (is_leaf) {
      check_leaf(page, least);
      return;
    }
    page.check_branch();
    const std::size_t nodes = page.nodes();
    for (std::size_t i = 0; i < nodes; ++i) {
      if (i != 0) {
        const auto parting = page.field<std::uint64_t>(page.node(i) + lmdb::kNodeHeader);
        if (parting < least || parting < next_) fail("a branch parts its keys elsewhere");
        least = parting;
      }
      check_below(page.child(i), depth - 1, least);
    }
  }

  void check_leaf(const Page& page, std::uint64_t least) {
    const std::size_t nodes = page.nodes();
    if (nodes == 0) fail("a leaf is empty");
    for (std::size_t i = 0; i < nodes; ++i) {
      const lmdb::LeafNode node = lmdb::leaf_node(page, i, meta_.last_page, page_size_);
      if (state_ || node.key < least || node.key < next_) fail("its keys do not ascend");
      if (node.key == kIdentityKey) {
        if (node.first_page == 0) state_ = UpdateState::decode(node.value);
        if (!state_) fail("its state is unreadable");
        continue;
      }
      next_ = node.key + 1;
      if (node.size < UpdateEntry::kFrontSize) fail("an entry is too short");
      if (node.first_page == 0) {
        totals_.add(node.value);
      } else {
        std::array<std::byte, UpdateEntry::kFrontSize> front;
        if (!file_.read_at(node.first_page * page_size_ + lmdb::kPageHeader, front)) {
          fail("it is cut short");
        }
        totals_.add(front);
      }
      found_(node.key);
    }
  }

  const base::FileDescriptor& file_;
  std::uint32_t page_size_;
  Meta meta_;
  const std::function<void(std::uint64_t)>& found_;
  std::uint64_t pages_ = 0;
  std::uint64_t next_ = 0;  ///< above all keys so far
  UpdateTotals totals_;
  std::optional<UpdateState> state_;
};

}  // namespace

std::optional<UpdateState> walk_overlay(const base::FileDescriptor& file, std::uint32_t page_size,
                                        std::uint64_t transaction,
                                        const std::function<void(std::uint64_t)>& found) {
  const Meta meta = read_meta(file, transaction % lmdb::kMetaPages, page_size);
  if (meta.transaction != transaction) return std::nullopt;
  return OverlayWalk(file, page_size, meta, found).walk();
}

std::uint64_t last_transaction(const base::FileDescriptor& file, std::uint32_t page_size) {
  return std::max(read_meta(file, 0, page_size).transaction,
                  read_meta(file, 1, page_size).transaction);
}

}  // namespace crivo::records
