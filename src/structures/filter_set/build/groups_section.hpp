// SPDX-License-Identifier: Apache-2.0
/// The section of groups as it is written, and filters that are put together as they are.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "base/sink.hpp"
#include "structures/filter_set/build/block_builder.hpp"
#include "structures/filter_set/filter_set.hpp"

namespace crivo::filter_set {

class GroupsSection {
 public:
  /// `header` has the form of all filters.
  explicit GroupsSection(const Header& header) : header_(header) {}

  /// Adds a group behind the others, whose names are below its. It has 2^bits cells.
  void add(std::string_view name, unsigned bits, std::span<const Cell> cells);
  /// Returns the section. Once.
  base::Bytes finish();

 private:
  Header header_;
  base::FieldWriter cell_places_;
  base::FieldWriter group_places_;
  base::FieldWriter cells_;
  base::FieldWriter bits_;
  base::FieldWriter names_;
  std::uint64_t place_ = 0;  ///< among the filters
};

/// A group of a set.
struct PlacedGroup {
  const GroupedFilters* set = nullptr;
  std::uint64_t group = 0;
};

/// Writes the section of filters of these groups of sets of one form, whose names ascend; returns
/// that of the groups. Throws Error(corrupt) where a set is damaged.
base::Bytes put_together(std::span<const PlacedGroup> groups, const Header& header,
                         base::Sink& filters);

/// The same of a set in blocks: as they are, but those of which no group has a number. `numbers`
/// has that of each group, or kNoPosition.
void put_blocks_together(const FilterBlocks& set, std::span<const std::uint32_t> numbers,
                         BlocksTable& table, base::Sink& filters);

}  // namespace crivo::filter_set
