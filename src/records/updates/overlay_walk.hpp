// SPDX-License-Identifier: Apache-2.0
/// A check of an overlay's whole tree before LMDB reads it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/file_descriptor.hpp"
#include "records/updates/update_entry.hpp"

namespace crivo::records {

/// Walks the tree that transaction `transaction` left in an LMDB file, which a reader's slot keeps
/// from being written over: after it, LMDB finds an entry in it if and only if it is there, and
/// touches none but its pages and those of its values. Every page, node and value lies where it
/// may, keys ascend, those of the branches part them as they are, and the entries are as many and
/// add up as the state says, which is returned; so that none is lost, and none is of an older
/// tree. What an entry holds is checked when it is read. `found` gets every rank. Nothing is
/// returned where the file holds no such transaction any more. Throws Error(corrupt), Error(io).
/// Cost: a read of every branch and leaf page, and of the first page of each value of its own.
std::optional<UpdateState> walk_overlay(const base::FileDescriptor& file, std::uint32_t page_size,
                                        std::uint64_t transaction,
                                        const std::function<void(std::uint64_t rank)>& found);

/// The last transaction that the file's meta pages name. Throws Error(corrupt), Error(io).
std::uint64_t last_transaction(const base::FileDescriptor& file, std::uint32_t page_size);

}  // namespace crivo::records
