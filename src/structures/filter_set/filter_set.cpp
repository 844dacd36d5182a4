// SPDX-License-Identifier: Apache-2.0
#include "structures/filter_set/filter_set.hpp"

#include <algorithm>
#include <array>

#include "base/arithmetic.hpp"
#include "structures/bloom/cells.hpp"
#include "structures/fuse/graph.hpp"
#include "structures/ribbon/small_set.hpp"
#include "structures/split_block/split_block.hpp"

namespace crivo::filter_set {
namespace {

/// Keys that are asked of all groups at once, and rows that are found before the first is looked
/// at.
constexpr std::size_t kKeys = 8;
constexpr std::size_t kAhead = 32;
/// Groups of 2^kManyBits cells and more are not gone through cell by cell.
constexpr unsigned kManyBits = 5;

/// The parts of a key's row, for each seed of a cell.
using Mixed = std::array<std::uint64_t, ribbon::kSmallSetSeeds>;

std::uint64_t mixed_hash(std::uint64_t hi, unsigned seed) noexcept {
  return ribbon::SmallRows(ribbon::HashPart::first_half, seed, ribbon::kBandBits).mixed(hi, hi);
}

/// Calls visit(bit) for where each of the key's slots begins in a graph's cell.
template <typename Visit>
inline void each_slot(const ribbon::Row& row, unsigned segment_bits, unsigned width,
                      std::uint64_t hi, Visit&& visit) noexcept {
  const detail::FuseShard graph{row.coefficients, 0, fuse::seed_factor(row.even)};
  const detail::FuseShape shape{
      .shards = &graph, .arity = kFuseArity, .segment_slots = std::uint64_t{1} << segment_bits};
  shape.each_slot<kFuseArity>(hi, hi, [&](std::uint64_t slot) { visit(width * slot); });
}

bool ask_split_block(const std::byte* block, std::uint64_t hash) noexcept {
  namespace sb = filter::split_block;
  std::uint32_t all = 1;
  for (std::size_t i = 0; i < sb::kWords; ++i)
    all &= base::load_le<std::uint32_t>(block + 4 * i) >> sb::bit_of(hash, i);
  return all != 0;
}

bool ask_bloom(const std::byte* cell, std::uint64_t bytes, Hash128 hash, unsigned hashes) noexcept {
  return filter::for_each_probe(hash, {0, 8 * bytes}, 0, hashes, [cell](std::uint64_t bit) {
    return (std::to_integer<unsigned>(cell[bit / 8]) >> (bit % 8) & 1) != 0;
  });
}

}  // namespace

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

template <Type kType>
inline GroupedFilters::Shape GroupedFilters::shape(std::uint64_t units) const noexcept {
  if constexpr (kType == Type::split_block) return {filter::split_block::kBlockBytes * units};
  if constexpr (kType == Type::bloom) return {units};
  if constexpr (kType == Type::fuse) {
    if (units >= kGraphUnits) {
      const auto bits = static_cast<unsigned>(units >> kGraphUnitBits);
      return {bytes_of(header_, units), (units % kGraphUnits - kFuseArity + 1) << bits, 0, bits};
    }
  }
  const std::uint64_t starts = units < ribbon::kRowBlocks ? 1 : units - ribbon::kRowBlocks + 1;
  const std::uint64_t narrow = header_.width.narrow_blocks(starts);
  return {units == 0 ? 0 : units * header_.width.bits - narrow, starts, narrow};
}

template <Type kType>
inline ribbon::Row GroupedFilters::place(std::uint64_t at, std::uint64_t units, const Shape& shape,
                                         unsigned seed, std::uint64_t mixed, std::uint64_t hi,
                                         unsigned bits) const noexcept {
  ribbon::Row row{filters_ + at, units, bits, 0};
  if (kType == Type::fuse && shape.segment_bits != 0) {
    return {row.block, base::mulhi(hi << bits, shape.starts), kGraphRow + shape.segment_bits, seed};
  }
  if constexpr (has_ribbons(kType)) {
    const std::uint64_t kept = units < ribbon::kRowBlocks
                                   ? (std::uint64_t{1} << (ribbon::kBlockSlots * units)) - 1
                                   : ~std::uint64_t{0};
    ribbon::place_row<true>(filters_ + at, base::mulhi(mixed, shape.starts),
                            ribbon::coefficients(mixed) & kept, header_.width.bits, shape.narrow,
                            row);
  }
  if constexpr (kType == Type::split_block) {
    row.block += filter::split_block::kBlockBytes *
                 filter::split_block::block_of(split_block_hash(hi, bits), units);
  }
  return row;
}

template <Type kType>
inline bool GroupedFilters::passes(const ribbon::Row& row, std::uint64_t hi) const noexcept {
  if (kType == Type::fuse && row.width > kGraphRow) return passes_graph(row, hi);
  if constexpr (has_ribbons(kType)) {
    return ribbon::is_fingerprint(kernel_.row_value(row), hi, row.width);
  } else if constexpr (kType == Type::split_block) {
    return ask_split_block(row.block, hi);
  } else {
    return ask_bloom(row.block, row.coefficients, bloom_hash(hi, row.width), header_.hashes);
  }
}

bool GroupedFilters::passes_graph(const ribbon::Row& row, std::uint64_t hi) const noexcept {
  std::uint64_t sum = 0;
  each_slot(row, row.width - kGraphRow, header_.width.bits, hi, [&](std::uint64_t bit) {
    sum ^= base::load_le<std::uint64_t>(row.block + bit / 8) >> (bit % 8);
  });
  return ribbon::is_fingerprint(sum, hi, header_.width.bits);
}

template <Type kType>
inline void GroupedFilters::prefetch(const ribbon::Row& row, std::uint64_t hi) const noexcept {
  if (kType == Type::fuse && row.width > kGraphRow) {
    return each_slot(row, row.width - kGraphRow, header_.width.bits, hi,
                     [&](std::uint64_t bit) { __builtin_prefetch(row.block + bit / 8); });
  }
  __builtin_prefetch(row.block);
  if constexpr (has_ribbons(kType))
    __builtin_prefetch(row.block + std::size_t{ribbon::kRowBlocks} * header_.width.bits - 1);
}

template <Type kType>
void GroupedFilters::ask(std::uint64_t group, std::span<const Hash128> hashes,
                         bool* answers) const noexcept {
  const Cells cells = cells_of(group);
  std::uint64_t last = header_.cells;  // that `at` is of
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::uint64_t hi = hashes[i].hi;
    const std::uint64_t cell = cells.first + base::top_bits(hi, cells.bits);
    answers[i] = false;
    if (cell >= header_.cells) continue;
    if (cell != last) at = place_of(cell);
    last = cell;
    const Shape own = shape<kType>(units(cell));
    if (!is_whole(at, own)) continue;
    const std::uint64_t mixed = has_ribbons(kType) ? mixed_hash(hi, seed(cell)) : 0;
    answers[i] =
        passes<kType>(place<kType>(at, units(cell), own, seed(cell), mixed, hi, cells.bits), hi);
  }
}

template <Type kType, typename Use>
void GroupedFilters::ask_all(std::span<const Hash128> hashes, Use&& use) const noexcept {
  std::array<Mixed, has_ribbons(kType) ? kKeys : 1> mixed;
  if constexpr (has_ribbons(kType)) {
    for (unsigned seed = 0; seed < ribbon::kSmallSetSeeds; ++seed) {
      for (std::size_t k = 0; k < hashes.size(); ++k)
        mixed[k][seed] = mixed_hash(hashes[k].hi, seed);
    }
  }
  std::array<Asked, kAhead> asked;
  std::uint64_t added = 0;
  const auto answer = [&](const Asked& one) {
    use(one.key, one.group, passes<kType>(one.row, one.hi));
  };
  const auto ask = [&](std::uint64_t group, unsigned b, std::uint64_t cell, std::uint64_t at,
                       const Shape& own, std::size_t k) __attribute__((always_inline)) {
    const std::uint64_t hi = hashes[k].hi;
    const std::uint64_t by_seed = has_ribbons(kType) ? mixed[k][seed(cell)] : 0;
    Asked& one = asked[added % kAhead];
    if (added >= kAhead) answer(one);
    one = {place<kType>(at, units(cell), own, seed(cell), by_seed, hi, b), hi, group, k};
    ++added;
    prefetch<kType>(one.row, hi);
  };
  std::uint64_t at = 0;
  std::uint64_t cell = 0;
  bool is_behind = false;  // `at` is the place of an earlier cell
  for (std::uint64_t group = 0; group < header_.groups; ++group) {
    const unsigned b = std::min(bits(group), kMostBits);
    const std::uint64_t first = cell;
    const std::uint64_t end = first + (std::uint64_t{1} << b);
    if (end > header_.cells) break;
    if (b >= kManyBits) {
      for (std::size_t k = 0; k < hashes.size(); ++k) {
        const std::uint64_t own_cell = first + base::top_bits(hashes[k].hi, b);
        const std::uint64_t own_place = place_of(own_cell);
        const Shape own = shape<kType>(units(own_cell));
        if (is_whole(own_place, own)) ask(group, b, own_cell, own_place, own, k);
      }
      cell = end;
      is_behind = true;
      continue;
    }
    if (is_behind) at = place_of(first);
    is_behind = false;
    for (; cell < end; ++cell) {
      const Shape own = shape<kType>(units(cell));
      for (std::size_t k = 0; k < hashes.size() && is_whole(at, own); ++k) {
        if (base::top_bits(hashes[k].hi, b) == cell - first) ask(group, b, cell, at, own, k);
      }
      at += own.bytes;
    }
  }
  for (std::uint64_t i = added - std::min<std::uint64_t>(added, kAhead); i < added; ++i)
    answer(asked[i % kAhead]);
}

template <typename Use>
void GroupedFilters::for_each_answer(std::span<const Hash128> hashes, Use&& use) const noexcept {
  for (std::size_t begin = 0; begin < hashes.size(); begin += kKeys) {
    const auto some = hashes.subspan(begin, std::min(kKeys, hashes.size() - begin));
    const auto use_some = [&](std::size_t key, std::uint64_t group, bool answer) {
      use(begin + key, group, answer);
    };
    switch (header_.type) {
      case Type::ribbon:
        ask_all<Type::ribbon>(some, use_some);
        break;
      case Type::fuse:
        ask_all<Type::fuse>(some, use_some);
        break;
      case Type::split_block:
        ask_all<Type::split_block>(some, use_some);
        break;
      case Type::bloom:
        ask_all<Type::bloom>(some, use_some);
    }
  }
}

void GroupedFilters::contains(std::uint64_t group, std::span<const Hash128> hashes,
                              bool* answers) const noexcept {
  if (group >= header_.groups) {
    std::fill_n(answers, hashes.size(), false);
    return;
  }
  switch (header_.type) {
    case Type::ribbon:
      return ask<Type::ribbon>(group, hashes, answers);
    case Type::fuse:
      return ask<Type::fuse>(group, hashes, answers);
    case Type::split_block:
      return ask<Type::split_block>(group, hashes, answers);
    case Type::bloom:
      return ask<Type::bloom>(group, hashes, answers);
  }
}

void GroupedFilters::groups_of(std::span<const Hash128> hashes, std::uint64_t* bitmaps,
                               std::size_t words, const std::uint64_t* numbers) const noexcept {
  const auto set = [&](std::size_t key, std::uint64_t number, bool answer) {
    bitmaps[words * key + number / 64] |= std::uint64_t{answer} << (number % 64);
  };
  if (numbers == nullptr) return for_each_answer(hashes, set);
  for_each_answer(hashes, [&](std::size_t key, std::uint64_t group, bool answer) {
    if (answer && numbers[group] != kNoGroup) set(key, numbers[group], true);
  });
}

void GroupedFilters::count(std::span<const Hash128> hashes, std::uint32_t* counts,
                           const std::uint64_t* numbers) const noexcept {
  for_each_answer(hashes, [&](std::size_t, std::uint64_t group, bool answer) {
    const std::uint64_t number = numbers != nullptr ? numbers[group] : group;
    if (answer && number != kNoGroup) ++counts[number];
  });
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
