// SPDX-License-Identifier: Apache-2.0
/// The entries of one database of an LMDB file of any program, of which no byte is trusted.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "records/backends/lmdb/lmdb_tree.hpp"

namespace crivo::records::lmdb {

/// Calls visit(page) for each leaf of the tree that `table` describes, in order. Throws
/// Error(corrupt) where a page is damaged or the walk would meet more pages than there are, and
/// Error(io). Cost: a read of every branch and leaf page.
void for_each_leaf(const TreeFile& file, const Meta& meta, const Table& table,
                   const std::function<void(const Page& page)>& visit);

/// Where the entries of a database stand, so that any range of them can be read, by any thread.
class EntryTable {
 public:
  /// Walks the database. `file` must outlive this. Throws Error(corrupt), Error(io).
  EntryTable(const TreeFile& file, const Meta& meta, const Table& table);

  std::uint64_t size() const noexcept { return size_; }
  /// About the bytes that the entries [begin, end) have.
  std::uint64_t bytes(std::uint64_t begin, std::uint64_t end) const noexcept;
  /// Whether an entry stands for several values of one key.
  bool has_repeated_keys() const noexcept { return has_repeated_keys_; }

  using VisitEntry = std::function<void(const LeafEntry& entry)>;
  /// Calls visit(entry) for the entries [begin, end), in order. Throws Error(corrupt) where the
  /// file is not what it was, Error(io).
  void read(std::uint64_t begin, std::uint64_t end, const VisitEntry& visit) const;

 private:
  struct Leaf {
    std::uint64_t first;  ///< entry
    std::uint64_t bytes;  ///< of the entries before it
    std::uint64_t page;
  };
  /// The leaf that holds an entry.
  std::size_t leaf_of(std::uint64_t entry) const noexcept;

  const TreeFile& file_;
  std::uint64_t last_page_;
  std::uint64_t size_ = 0;
  std::uint64_t bytes_ = 0;
  bool has_repeated_keys_ = false;
  std::vector<Leaf> leaves_;
};

}  // namespace crivo::records::lmdb
