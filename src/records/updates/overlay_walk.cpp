// SPDX-License-Identifier: Apache-2.0
#include "records/updates/overlay_walk.hpp"

#include <array>
#include <vector>

namespace crivo::records {

namespace {

using lmdb::fail;
using lmdb::LeafNode;
using lmdb::Meta;
using lmdb::Page;
using lmdb::TreeFile;

/// The flags of a database that tell how its entries are kept. LMDB notes those of the environment
/// in the same field of the free pages' table.
constexpr std::uint16_t kDatabaseFlags = 0x7f;

/// Which pages of the file have an owner.
class PageOwners {
 public:
  explicit PageOwners(std::uint64_t last_page) : owned_(last_page + 1) {}

  /// Gives `count` pages from `first` on an owner.
  void take(std::uint64_t first, std::uint64_t count = 1) {
    if (first < lmdb::kMetaPages || first >= owned_.size() || owned_.size() - first < count) {
      fail("a page lies outside the tree");
    }
    for (std::uint64_t page = first; page < first + count; ++page) {
      if (owned_[page]) fail("a page is used twice");
      owned_[page] = true;
    }
  }

 private:
  std::vector<bool> owned_;
};

/// A value of the table of free pages: their number, then theirs, from the greatest on.
void take_free_pages(const TreeFile& file, const LeafNode& node, PageOwners& owners) {
  constexpr std::uint64_t kWord = sizeof(std::uint64_t);
  base::Bytes list(node.size);
  file.read_value(node, list);
  if (list.size() < kWord || list.size() % kWord != 0) fail("a list of free pages has no length");
  const auto count = base::load_le<std::uint64_t>(list.data());
  if (count > list.size() / kWord - 1) fail("a list of free pages is too short");
  std::uint64_t above = lmdb::kNoPage;
  for (std::uint64_t i = 1; i <= count; ++i) {
    const auto page = base::load_le<std::uint64_t>(list.data() + kWord * i);
    if (page >= above) fail("a list of free pages is in disorder");
    owners.take(page);
    above = page;
  }
}

}  // namespace

TreeFile open_overlay(const base::FileDescriptor& file) {
  TreeFile tree(file);
  if (tree.last_meta().last_page >= file.size() / tree.page_size()) {
    fail("it ends before its last page");
  }
  return tree;
}

std::optional<WalkedOverlay> walk_overlay(
    const TreeFile& file, std::uint64_t transaction,
    const std::function<void(std::uint64_t, const LeafNode&)>& found) {
  const Meta& meta = file.meta(transaction % lmdb::kMetaPages);
  if (meta.transaction != transaction) return std::nullopt;
  if (meta.main.flags != lmdb::kIntegerKeyFlag) fail("its keys are no integers");
  UpdateTotals totals;
  std::optional<UpdateState> state;
  file.walk(meta, meta.main, {{}, [&](const Page&, const LeafNode& node) {
                                if (node.key == kIdentityKey) {
                                  if (node.first_page == 0) state = UpdateState::decode(node.value);
                                  if (!state) fail("its state is unreadable");
                                  return;
                                }
                                if (node.size < UpdateEntry::kFrontSize)
                                  fail("an entry is too short");
                                std::array<std::byte, UpdateEntry::kFrontSize> front{};
                                file.read_value(node, front);
                                totals.add(front);
                                found(node.key, node);
                              }});
  if (!state) fail("it has no state");
  if (state->totals != totals) fail("its entries are not those of its state");
  return WalkedOverlay{transaction, *state, meta};
}

void check_pages(const TreeFile& file, const Meta& meta) {
  if ((meta.free.flags & kDatabaseFlags) != lmdb::kIntegerKeyFlag) {
    fail("its free pages' keys are no integers");
  }
  PageOwners owners(meta.last_page);
  const auto take_page = [&](const Page& page) {
    page.check_packing();
    owners.take(page.number());
  };
  const auto take_value = [&](const LeafNode& node) {
    if (node.first_page != 0) owners.take(node.first_page, file.pages_of_value(node, meta));
  };
  std::uint64_t entries = 0;
  file.walk(meta, meta.main, {take_page, [&](const Page&, const LeafNode& node) {
                                take_value(node);
                                ++entries;
                              }});
  if (entries != meta.main.entries) fail("it has another number of entries");
  file.walk(meta, meta.free, {take_page, [&](const Page&, const LeafNode& node) {
                                take_value(node);
                                take_free_pages(file, node, owners);
                              }});
}

}  // namespace crivo::records
