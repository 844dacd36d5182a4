// SPDX-License-Identifier: Apache-2.0
/// What the tree of a data.mdb holds, found without LMDB.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/file_descriptor.hpp"
#include "records/identity.hpp"

namespace crivo::records {

/// What a walk over the B+tree of a data.mdb found.
struct TreeScan {
  /// XXH3-64 of the tree's pages: the two meta pages, then each branch and leaf page, depth first.
  /// The overflow pages, which hold the groups, are not among them.
  std::uint64_t structure_hash = 0;
  std::uint64_t groups = 0;
  std::uint64_t max_group = 0;             ///< bytes of the longest group
  std::optional<std::uint64_t> last_rank;  ///< the last group's key
  std::optional<Identity> identity;
};

/// Called with each group's key, and the byte of the file where its value begins.
using GroupVisit = std::function<void(std::uint64_t last_rank, std::uint64_t begin)>;

/// Walks the tree of the main database of an LMDB 0.9 file (data version 1, 64-bit little-endian),
/// one page at a time and checking every number (lmdb::TreeFile). When it returns, all that a
/// read-only LMDB transaction uses to find an entry is sound. Throws Error(corrupt) otherwise,
/// Error(io) if the file cannot be read. Cost: a read of every branch and leaf page (about 1 page
/// in 600 of a store).
TreeScan scan_tree(const base::FileDescriptor& file, std::uint32_t page_size,
                   const GroupVisit& visit = {});

}  // namespace crivo::records
