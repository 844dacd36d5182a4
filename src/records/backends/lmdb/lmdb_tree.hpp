// SPDX-License-Identifier: Apache-2.0
/// A walk over a tree of an LMDB 0.9 file that trusts none of its bytes: LMDB trusts what its pages
/// say, and would read outside the file, or stop the process, where they are damaged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "records/identity.hpp"

// One page of an LMDB 0.9 file (data version 1, 64-bit little-endian), with every access checked.
//
// A page: u64 its number; u16; u16 flags; u16 lower and u16 upper end of the free space; u16 the
// offset of each node. A node: u16 and u16 the low and high half of the data's length (in a leaf),
// u16 flags, u16 key length, key, data. In a branch the first three are a page number of 48 bits,
// and the first node's key is not used.

namespace crivo::records {

namespace lmdb {

inline constexpr std::uint64_t kMetaPages = 2;
inline constexpr std::size_t kPageHeader = 16;
inline constexpr std::size_t kNodeHeader = 8;
inline constexpr std::size_t kKeySize = 8;
inline constexpr std::uint16_t kBranchFlag = 0x01;
inline constexpr std::uint16_t kLeafFlag = 0x02;
inline constexpr std::uint16_t kMetaFlag = 0x08;
inline constexpr std::uint16_t kIntegerKeyFlag = 0x08;
inline constexpr std::uint16_t kOverflowNodeFlag = 0x01;
inline constexpr std::uint16_t kTableNodeFlag = 0x02;
inline constexpr std::uint16_t kRepeatedNodeFlag = 0x04;
inline constexpr std::uint16_t kMaxDepth = 32;
inline constexpr std::uint64_t kNoPage = ~std::uint64_t{0};

/// Throws Error(corrupt).
[[noreturn]] void fail(std::string_view problem);

class Page {
 public:
  explicit Page(std::uint32_t size) : bytes_(size) {}

  base::Bytes& bytes() noexcept { return bytes_; }
  const base::Bytes& bytes() const noexcept { return bytes_; }

  template <typename Int>
  Int field(std::size_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(Int))
      fail("a node leaves its page");
    return base::load_le<Int>(bytes_.data() + offset);
  }
  base::ByteView range(std::size_t offset, std::size_t size) const {
    if (offset > bytes_.size() || bytes_.size() - offset < size) fail("a node leaves its page");
    return base::ByteView(bytes_).subspan(offset, size);
  }

  std::uint64_t number() const { return field<std::uint64_t>(0); }
  std::uint16_t flags() const { return field<std::uint16_t>(10); }
  /// The number of nodes of a branch or leaf page.
  std::size_t nodes() const;
  /// The offset of node `index`, below nodes(). Nodes stand at even offsets.
  std::size_t node(std::size_t index) const;
  /// Checks the nodes of a branch page, and the number of the page that one leads to.
  void check_branch() const;
  std::uint64_t child(std::size_t index) const;

 private:
  base::Bytes bytes_;
};

/// The tree of a database.
struct Table {
  std::uint16_t flags;
  std::uint16_t depth;  ///< 0 of an empty tree
  std::uint64_t entries;
  std::uint64_t root;  ///< kNoPage of an empty tree
};

/// The fields of a meta page.
struct Meta {
  Table main;
  std::uint64_t last_page;
  std::uint64_t transaction;
};
Meta decode_meta(const Page& page, std::uint32_t page_size);
/// Checks that a file whose first bytes `front` holds is one of LMDB's, of the version that is
/// read.
void check_magic(const Page& front);
/// The description of a tree, of which `bytes` has kTableBytes.
inline constexpr std::size_t kTableBytes = 48;
Table decode_table(base::ByteView bytes);

/// A value of a leaf page.
struct LeafValue {
  std::uint64_t size;
  base::ByteView value;          ///< where it stands in the page
  std::uint64_t first_page = 0;  ///< where it does not, of the pages that it has to itself
};
/// A node of a leaf page of any database.
struct LeafEntry : LeafValue {
  base::ByteView key;
  std::uint16_t flags;

  const LeafValue& its_value() const noexcept { return *this; }
};
/// Checks that the value lies before the end of page `last_page`.
LeafEntry leaf_entry(const Page& page, std::size_t index, std::uint64_t last_page,
                     std::uint32_t page_size);

/// A node of a leaf page whose keys are 64-bit integers, and which has nothing but keys and values.
struct LeafNode : LeafValue {
  std::uint64_t key;
};
/// Checks the same.
LeafNode leaf_node(const Page& page, std::size_t index, std::uint64_t last_page,
                   std::uint32_t page_size);
/// How many pages a value of so many bytes has to itself.
constexpr std::uint64_t overflow_pages(std::uint64_t size, std::uint32_t page_size) noexcept {
  return (kPageHeader - 1 + size) / page_size + 1;
}

}  // namespace lmdb

/// The things that a walk over the B+tree of a data.mdb found.
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
  /// The fields of meta page 0 or 1, as it was when this was made.
  const Meta& meta(std::uint64_t number) const noexcept { return metas_[number]; }
  /// That of the later transaction, the first if they are of the same.
  const Meta& last_meta() const noexcept;

  /// Checks that the file has every page that `meta` counts.
  void check_length(const Meta& meta) const;
  void read_page(std::uint64_t number, Page& page) const;
  /// The first bytes of a leaf node's value, as many as `bytes` has, at most all.
  void read_value(const LeafValue& node, std::span<std::byte> bytes) const;
  /// Is told by a walk: each page before its nodes, depth first, and each node of a leaf in the
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
