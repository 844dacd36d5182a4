// SPDX-License-Identifier: Apache-2.0
#include "records/backends/lmdb/tree_scan.hpp"

#include <algorithm>

#include "hashing/stream_hash.hpp"
#include "records/backends/lmdb/lmdb_tree.hpp"

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
