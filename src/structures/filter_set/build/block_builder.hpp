// SPDX-License-Identifier: Apache-2.0
/// The build of filters that stand side by side (structures/filter_set/filter_blocks.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "base/spool.hpp"
#include "crivo/build/options.hpp"
#include "stream/hash_source.hpp"
#include "structures/filter_set/build/named_group.hpp"
#include "structures/filter_set/filter_blocks.hpp"

namespace crivo::filter_set {

/// The rows of a block of groups of so many keys, ascending, with which one that lacks a key has it
/// with at most the rate (units of 2^-64), on the average over the groups.
std::uint64_t block_rows(std::span<const std::uint64_t> keys, unsigned hashes, std::uint64_t rate);

/// The bytes that groups of so many keys take in blocks, their entries with them, but no names.
std::uint64_t bytes_in_blocks(const FilterOptions& options, std::vector<std::uint64_t> keys);
/// The bytes of a block of 64 groups of so many keys.
std::uint64_t block_bytes(const FilterOptions& options, std::uint64_t keys);

/// Puts down the section of groups of blocks that are written one by one.
class BlocksTable {
 public:
  /// `header` has the form of all filters. `names` ascend and outlive it.
  BlocksTable(const BlocksHeader& header, std::vector<std::string_view> names);
  /// Adds a block behind the others. Of each column it has the group, or kNoPosition.
  void add(std::uint64_t rows, std::span<const std::uint32_t> groups);
  base::Bytes finish() const;

 private:
  BlocksHeader header_;
  std::vector<std::string_view> names_;
  std::vector<BlockEntry> blocks_;
  std::vector<std::uint32_t> groups_;     ///< by position
  std::vector<std::uint32_t> positions_;  ///< by group
  std::uint64_t place_ = 0;
};

/// Builds both sections. Its bytes depend on the groups and their keys alone.
class BlockBuilder {
 public:
  /// Where groups are depends on the sizes of all.
  static constexpr bool kIsOfShards = false;

  /// As Builder, of type bloom.
  BlockBuilder(const FilterOptions& options, std::vector<NamedGroup> names);

  /// As Builder::build(). Keys wait in the scratch, 8 bytes each, until the sizes of all groups are
  /// known. A thread has the block that it works on in memory.
  void build(const stream::HashSource& keys, std::uint64_t all, const base::BuildContext& context,
             base::Sink& sink);
  /// The section of groups, once that is done.
  base::Bytes groups() const { return table_.finish(); }

 private:
  /// The keys of a group, in the spool.
  struct Group {
    std::uint64_t hash = 0;
    std::uint64_t place = 0;
    std::uint64_t keys = 0;
    std::uint32_t number = 0;  ///< in the order of the names
  };
  void spool_keys(const stream::HashSource& keys, std::uint64_t all,
                  const base::BuildContext& context, base::Spool& spool);
  base::Bytes block_of(std::span<const Group> groups, std::uint64_t rows,
                       const base::Spool& spool) const;

  BlocksHeader header_;
  std::vector<NamedGroup> names_;
  BlocksTable table_;
  std::vector<Group> groups_;
};

}  // namespace crivo::filter_set
