// SPDX-License-Identifier: Apache-2.0
#include "structures/filter_set/build/groups_section.hpp"

#include <algorithm>
#include <vector>

namespace crivo::filter_set {

void GroupsSection::add(std::string_view name, unsigned bits, std::span<const Cell> cells) {
  if (header_.groups++ % kBlock == 0) group_places_.u64(names_.view().size()).u64(header_.cells);
  for (const Cell& cell : cells) {
    if (header_.cells++ % kBlock == 0) cell_places_.u64(place_);
    cells_.u16(cell.units).u8(cell.seed);
    place_ += bytes_of(header_, cell.units);
  }
  bits_.u8(static_cast<std::uint8_t>(bits));
  names_.u8(static_cast<std::uint8_t>(name.size())).bytes(base::as_bytes(name));
}

base::Bytes GroupsSection::finish() {
  header_.name_bytes = names_.view().size();
  base::FieldWriter section;
  section.bytes(header_.encode()).bytes(cell_places_.view()).bytes(group_places_.view());
  return section.bytes(cells_.view()).bytes(bits_.view()).bytes(names_.view()).take();
}

base::Bytes put_together(std::span<const PlacedGroup> groups, const Header& header,
                         base::Sink& filters) {
  Header form = header;
  form.groups = 0;
  form.cells = 0;
  GroupsSection section(form);
  for (const PlacedGroup& one : groups) {
    const GroupedFilters::Filter filter = one.set->filter(one.group);
    section.add(one.set->name(one.group), filter.bits, filter.cells);
    filters.append(filter.bytes);
  }
  filters.append(base::Bytes(kEndPadding));
  return section.finish();
}

void put_blocks_together(const FilterBlocks& set, std::span<const std::uint32_t> numbers,
                         BlocksTable& table, base::Sink& filters) {
  for (std::uint64_t b = 0; b < set.header().blocks; ++b) {
    const BlockEntry block = set.block(b);
    const base::ByteView bytes = set.bytes(block);
    if (bytes.empty())
      base::FieldReader(bytes, "groups section").fail("a block is not where it should be");
    std::vector<std::uint32_t> groups;
    for (std::uint64_t column = 0; column < block.columns; ++column) {
      const std::uint32_t group = set.group_at(block.first + column);
      groups.push_back(group < numbers.size() ? numbers[group] : kNoPosition);
    }
    if (std::ranges::all_of(groups, [](std::uint32_t group) { return group == kNoPosition; }))
      continue;
    table.add(block.rows, groups);
    filters.append(bytes);
  }
}

}  // namespace crivo::filter_set
