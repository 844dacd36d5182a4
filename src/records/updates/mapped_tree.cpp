// SPDX-License-Identifier: Apache-2.0
#include "records/updates/mapped_tree.hpp"

#include <algorithm>

namespace crivo::records {

namespace {

std::uint64_t u16_at(base::ByteView page, std::size_t at) noexcept {
  return base::load_le<std::uint16_t>(page.data() + at);
}

/// What every node of a page has at least, but for a branch's first: its header and a key.
constexpr std::size_t kLeastNode = lmdb::kNodeHeader + lmdb::kKeySize;

}  // namespace

MappedTree::What MappedTree::find(std::uint64_t key, base::ByteView& value) const noexcept {
  std::uint64_t number = table_.root;
  for (unsigned level = table_.depth; level != 0; --level) {
    if (number >= bytes_.size() / page_size_) return What::damaged;
    const base::ByteView page = bytes_.subspan(number * page_size_, page_size_);
    const bool is_leaf = level == 1;
    const std::uint64_t end = std::min<std::uint64_t>(u16_at(page, 12), page_size_);
    const std::size_t nodes = end < lmdb::kPageHeader ? 0 : (end - lmdb::kPageHeader) / 2;
    // The first node whose key is above; a branch's first has none, and stands for all below.
    std::size_t low = is_leaf ? 0 : 1;
    for (std::size_t high = std::max(nodes, low); low < high;) {
      const std::size_t middle = low + (high - low) / 2;
      const std::size_t node = u16_at(page, lmdb::kPageHeader + 2 * middle);
      if (node > page_size_ - kLeastNode) return What::damaged;
      const auto parting = base::load_le<std::uint64_t>(&page[node + lmdb::kNodeHeader]);
      if (parting <= key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low > nodes) return What::damaged;
    if (low == 0) return What::nothing;
    const std::size_t node = u16_at(page, lmdb::kPageHeader + 2 * (low - 1));
    if (node > page_size_ - (is_leaf ? kLeastNode : lmdb::kNodeHeader)) return What::damaged;
    if (is_leaf) {
      if (base::load_le<std::uint64_t>(&page[node + lmdb::kNodeHeader]) != key) {
        return What::nothing;
      }
      return value_of(page, node, value);
    }
    number = u16_at(page, node) | u16_at(page, node + 2) << 16 | u16_at(page, node + 4) << 32;
  }
  return What::nothing;
}

MappedTree::What MappedTree::value_of(base::ByteView page, std::size_t node,
                                      base::ByteView& value) const noexcept {
  const std::uint64_t size = u16_at(page, node) | u16_at(page, node + 2) << 16;
  base::ByteView from = page.subspan(node + kLeastNode);
  if (u16_at(page, node + 4) == lmdb::kOverflowNodeFlag) {
    if (from.size() < sizeof(std::uint64_t)) return What::damaged;
    const auto first = base::load_le<std::uint64_t>(from.data());
    if (first >= bytes_.size() / page_size_) return What::damaged;
    from = bytes_.subspan(first * page_size_ + lmdb::kPageHeader);
  }
  if (from.size() < size) return What::damaged;
  value = from.first(size);
  return What::entry;
}

}  // namespace crivo::records
