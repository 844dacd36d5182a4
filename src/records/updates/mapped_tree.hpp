// SPDX-License-Identifier: Apache-2.0
/// Lookups in the mapped tree of an LMDB file.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "records/lmdb_page.hpp"

namespace crivo::records {

/// A tree that lmdb::TreeFile::walk() has checked. No lookup reads outside of the bytes, whatever
/// they are by then.
class MappedTree {
 public:
  MappedTree() = default;
  /// In `bytes`, which begin with page 0 and outlive this.
  MappedTree(base::ByteView bytes, std::uint32_t page_size, const lmdb::Table& table) noexcept
      : bytes_(bytes), page_size_(page_size), table_(table) {}

  enum class What { nothing, entry, damaged };
  /// The value of an entry. One page a level of the tree, and those of the value.
  What find(std::uint64_t key, base::ByteView& value) const noexcept;

 private:
  What value_of(base::ByteView page, std::size_t node, base::ByteView& value) const noexcept;

  base::ByteView bytes_;
  std::uint32_t page_size_ = 0;
  lmdb::Table table_{};
};

}  // namespace crivo::records
