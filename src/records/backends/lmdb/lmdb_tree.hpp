// SPDX-License-Identifier: Apache-2.0
/// A walk over a tree of an LMDB 0.9 file that trusts none of its bytes: LMDB trusts what its pages
/// say, and would read outside the file, or stop the process, where they are damaged.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "base/file_descriptor.hpp"
#include "records/backends/lmdb/lmdb_page.hpp"

namespace crivo::records::lmdb {

/// A file whose meta pages were checked. All of its functions throw Error(corrupt) where a page is
/// damaged or the file is cut short, and Error(io).
class TreeFile {
 public:
  /// Reads both meta pages, whose page size is to be `page_size`. The file must outlive this.
  TreeFile(const base::FileDescriptor& file, std::uint32_t page_size);
  /// The same of the page size that its first page names: a power of two, 512 to 32768.
  explicit TreeFile(const base::FileDescriptor& file);

  std::uint32_t page_size() const noexcept { return page_size_; }
  /// What meta page 0 or 1 says, as it was when this was made.
  const Meta& meta(std::uint64_t number) const noexcept { return metas_[number]; }
  /// That of the later transaction, the first if they are of the same.
  const Meta& last_meta() const noexcept;

  /// Checks that the file has every page that `meta` counts.
  void check_length(const Meta& meta) const;
  void read_page(std::uint64_t number, Page& page) const;
  /// The first bytes of a leaf node's value, as many as `bytes` has, at most all.
  void read_value(const LeafValue& node, std::span<std::byte> bytes) const;
  /// What a walk tells: each page before its nodes, depth first, and each node of a leaf in the
  /// order of keys.
  struct Visit {
    std::function<void(const Page& page)> page;
    std::function<void(const Page& page, const LeafNode& node)> node;
  };
  /// Walks a tree that `meta` leads to. After it, every page and node of it lies
  /// where it may, within the file and the pages that `meta` counts, keys are ascending 64-bit
  /// numbers, and those of the branches part them as they are: what LMDB finds in it is what is
  /// there. Cost: a read of every branch and leaf page.
  void walk(const Meta& meta, const Table& table, const Visit& visit) const;

 private:
  const base::FileDescriptor& file_;
  std::uint32_t page_size_;
  std::array<Meta, kMetaPages> metas_;
};

}  // namespace crivo::records::lmdb
