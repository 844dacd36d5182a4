// SPDX-License-Identifier: Apache-2.0
/// Checks of an overlay's pages, before anything is looked up in it or LMDB changes it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "records/lmdb_tree.hpp"
#include "records/updates/update_entry.hpp"

namespace crivo::records {

/// What is known of the tree that one transaction left.
struct WalkedOverlay {
  std::uint64_t transaction = 0;
  UpdateState state;
  lmdb::Meta meta{};
};

/// Checks the meta pages, which LMDB believes as soon as it opens the file, and that the file is as
/// long as they say. Throws Error(corrupt), Error(io).
lmdb::TreeFile open_overlay(const base::FileDescriptor& file);

/// Walks the tree that transaction `transaction` left in an LMDB file, which a reader's slot keeps
/// from being written over: after it, an entry is found in it if and only if it is there. Every
/// page, node and value lies where it may, keys ascend, those of the branches part them as they
/// are, and the entries are as many and add up as the state says; so that none is lost, and none is
/// of an older tree. What an entry holds is checked when it is read. `found` gets every rank with
/// its node. Nothing is returned where the file holds no such transaction any more. Throws
/// Error(corrupt), Error(io). Cost: a read of every branch and leaf page, and of the first page of
/// each value of its own.
std::optional<WalkedOverlay> walk_overlay(
    const lmdb::TreeFile& file, std::uint64_t transaction,
    const std::function<void(std::uint64_t rank, const lmdb::LeafNode& node)>& found);

/// Checks what LMDB relies on beyond that where it writes the next transaction: that nodes are
/// packed in their pages, and that no page belongs to two of the entries, the free pages, and their
/// list. Throws and costs the same.
void check_pages(const lmdb::TreeFile& file, const lmdb::Meta& meta);

}  // namespace crivo::records
