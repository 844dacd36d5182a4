// SPDX-License-Identifier: Apache-2.0
#include "structures/filter_set/filter_set.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"
#include "structures/fuse/graph.hpp"

namespace crivo::filter_set {

GroupedFilters::GroupedFilters(base::ByteView groups, base::ByteView filters)
    : header_(Header::decode(groups)) {
  base::FieldReader r(groups, "groups section");
  r.take(kHeaderBytes);
  cell_places_ = r.take(kCellPlaceBytes * base::div_ceil(header_.cells, kBlock)).data();
  const base::ByteView places = r.take(kGroupPlaceBytes * base::div_ceil(header_.groups, kBlock));
  group_places_ = places.data();
  cells_ = r.take(kCellBytes * header_.cells).data();
  bits_ = r.take(header_.groups).data();
  names_ = NameTable(header_.groups, places, kGroupPlaceBytes, r.take(header_.name_bytes));
  r.expect_end();
  base::FieldReader f(filters, "filters section");
  if (filters.size() < kEndPadding) f.fail("is shorter than its padding");
  filters_bytes_ = filters.size() - kEndPadding;
  filters_ = f.take(filters_bytes_).data();
  f.zeros(kEndPadding);
  if (has_ribbons(header_.type)) {
    kernel_ = ribbon::kernel(ribbon::Form::small_set, header_.width, base::cpu());
  }
}

void GroupedFilters::check() const {
  names_.check();
  const base::FieldReader at(base::ByteView(), "groups section");
  std::uint64_t cell = 0;
  for (std::uint64_t g = 0; g < header_.groups; ++g) {
    const std::byte* const place = group_places_ + kGroupPlaceBytes * (g / kBlock);
    if (g % kBlock == 0 && base::load_le<std::uint64_t>(place + 8) != cell)
      at.fail("a place of groups is wrong");
    if (bits(g) > kMostBits) at.fail("a group has too many cells");
    cell += std::uint64_t{1} << bits(g);
  }
  if (cell != header_.cells) at.fail("its cells are not those of its groups");
  std::uint64_t place = 0;
  for (std::uint64_t c = 0; c < header_.cells; ++c) {
    const std::byte* const entry = cell_places_ + kCellPlaceBytes * (c / kBlock);
    if (c % kBlock == 0 && base::load_le<std::uint64_t>(entry) != place)
      at.fail("a place of cells is wrong");
    const bool is_graph = header_.type == Type::fuse && units(c) >= kGraphUnits;
    if (std::to_integer<unsigned>(cells_[kCellBytes * c + 2]) >= (is_graph ? fuse::kSeeds
                                                                  : has_ribbons(header_.type)
                                                                      ? ribbon::kSmallSetSeeds
                                                                      : 1))
      at.fail("a cell has a seed out of range");
    if (is_graph && bytes_of(header_, units(c)) == 0) at.fail("a cell has an impossible graph");
    place += bytes_of(header_, units(c));
  }
  if (place != filters_bytes_) at.fail("the filters are not as long as their cells");
}

GroupedFilters::Cells GroupedFilters::cells_of(std::uint64_t group) const noexcept {
  const std::byte* const place = group_places_ + kGroupPlaceBytes * (group / kBlock);
  auto first = base::load_le<std::uint64_t>(place + 8);
  for (std::uint64_t g = group / kBlock * kBlock; g < group; ++g)
    first += std::uint64_t{1} << (bits(g) % 64);
  return {first, std::min(bits(group), kMostBits)};
}

std::uint64_t GroupedFilters::place_of(std::uint64_t cell) const noexcept {
  auto at = base::load_le<std::uint64_t>(cell_places_ + kCellPlaceBytes * (cell / kBlock));
  for (std::uint64_t c = cell / kBlock * kBlock; c < cell; ++c) at += bytes_of(header_, units(c));
  return at;
}

GroupedFilters::Filter GroupedFilters::filter(std::uint64_t group) const {
  const base::FieldReader at(base::ByteView(), "groups section");
  const Cells own = cells_of(group);
  const std::uint64_t count = std::uint64_t{1} << own.bits;
  if (own.first > header_.cells || count > header_.cells - own.first)
    at.fail("a group has cells that there are not");
  Filter filter{.bits = own.bits};
  std::uint64_t bytes = 0;
  for (std::uint64_t cell = own.first; cell < own.first + count; ++cell) {
    filter.cells.push_back(
        {static_cast<std::uint16_t>(units(cell)), static_cast<std::uint8_t>(seed(cell))});
    bytes += bytes_of(header_, units(cell));
  }
  const std::uint64_t begin = place_of(own.first);
  if (begin > filters_bytes_ || bytes > filters_bytes_ - begin)
    at.fail("a group has cells that are not in the section of filters");
  filter.bytes = {filters_ + begin, bytes};
  return filter;
}

}  // namespace crivo::filter_set
