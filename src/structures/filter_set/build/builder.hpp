// SPDX-License-Identifier: Apache-2.0
/// The build of a set of filters (structures/filter_set/filter_set.hpp), a partition of groups at a
/// time.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "crivo/build/options.hpp"
#include "stream/hash_source.hpp"
#include "structures/filter_set/build/named_group.hpp"
#include "structures/filter_set/filter_set.hpp"

namespace crivo::filter_set {

/// The build of a cell, and its size by its keys.
class CellShape;

/// About the bytes that a group of so many keys takes, its entries and name in the table with it.
double bytes_of_group(const FilterOptions& options, double keys, double name_bytes);

/// Builds both sections. Its bytes depend on the groups and their keys alone.
class Builder {
 public:
  /// Its groups may be some of those of a set, and put together with the others.
  static constexpr bool kIsOfShards = true;

  /// `options` have the type (ribbon, fuse, split-block-bloom or bloom) and the rate. The names
  /// ascend and outlive it. Throws Error(usage).
  Builder(const FilterOptions& options, std::vector<NamedGroup> names);
  ~Builder();

  /// Writes the section of filters. A key has the hash of its group for `hi`, and the first half of
  /// its own for `lo`; a group may have none. Memory: 40 bytes a key of a partition in work (fuse:
  /// 90), of which whole groups are, some 50 bytes a group; filters are kept within the scratch
  /// until all are made. Throws Error(bad_input) for hashes that are too unlike random ones,
  /// Error(io), Error(corrupt) for keys of no group. `all` is the number of keys of the whole set.
  void build(const stream::HashSource& keys, std::uint64_t all, const base::BuildContext& context,
             base::Sink& sink);
  /// The section of groups, once that is done.
  base::Bytes groups() const;

 private:
  struct Group {
    std::uint64_t hash = 0;
    std::uint64_t place = 0;  ///< in the spool
    std::uint64_t bytes = 0;
    std::uint64_t cell = 0;  ///< the first
    unsigned bits = 0;
  };
  struct Made {
    base::Bytes body;
    std::vector<Group> groups;
    std::vector<Cell> cells;
  };
  struct Room;

  Made make(const stream::KeySlice& keys) const;
  /// `group` is the number of keys of its group.
  Cell make_cell(std::span<const Hash128> keys, std::uint64_t group, unsigned bits, Room& room,
                 base::Bytes& to) const;
  /// Gives a cell without keys to each group that has no other.
  void add_empty_groups();
  const Group& group_of(std::uint64_t hash) const noexcept;

  std::unique_ptr<const CellShape> shape_;
  std::vector<NamedGroup> names_;
  std::vector<Group> groups_;  ///< by their hashes
  std::vector<Cell> cells_;    ///< of these
};

}  // namespace crivo::filter_set
