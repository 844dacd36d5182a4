// SPDX-License-Identifier: Apache-2.0
// How keys are asked of one group, and of all.
#include <algorithm>
#include <array>

#include "base/arithmetic.hpp"
#include "structures/bloom/cells.hpp"
#include "structures/filter_set/filter_set.hpp"
#include "structures/fuse/graph.hpp"
#include "structures/ribbon/small_set.hpp"
#include "structures/split_block/split_block.hpp"

namespace crivo::filter_set {
namespace {

/// Keys that are asked of all groups at once.
constexpr std::size_t kKeys = 8;
/// Groups of 2^kManyBits cells and more are not gone through cell by cell.
constexpr unsigned kManyBits = 5;

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
    const std::uint64_t blocks = std::min<std::uint64_t>(units, ribbon::kRowBlocks);
    const std::uint64_t kept = ~std::uint64_t{0} >> (64 - ribbon::kBlockSlots * blocks);
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
    std::uint64_t value = 0;
    kernel_.row_values({&row, 1}, &value);
    return ribbon::is_fingerprint(value, hi, row.width);
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
  if constexpr (kType == Type::bloom) {  // most absent keys are known by these
    filter::for_each_probe(bloom_hash(hi, row.width), {0, 8 * row.coefficients}, 0,
                           std::min(header_.hashes, 2U), [&](std::uint64_t bit) {
                             __builtin_prefetch(row.block + bit / 8);
                             return true;
                           });
    return;
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

/// The cells of a block of groups.
struct GroupedFilters::Block {
  std::uint64_t first = 0;  ///< group
  std::size_t groups = 0;
  std::array<std::uint8_t, kBlock> bits;
  std::array<std::uint64_t, kBlock> cells;        ///< the first of each
  std::array<std::uint16_t, kBlock> first_place;  ///< among places, or kLarge
  std::array<std::uint64_t, kBlock << (kManyBits - 1)> places;

  static constexpr std::uint16_t kLarge = UINT16_MAX;  ///< a group of many cells
};

/// The rows of one key in the groups of a block, whose bytes were asked for.
struct GroupedFilters::Batch {
  std::size_t key = 0;
  std::size_t size = 0;
  std::array<ribbon::Row, kBlock> rows;
  std::array<std::uint64_t, kBlock> groups;
};

inline void GroupedFilters::Answers::add(std::size_t key, std::uint64_t group) const noexcept {
  const std::uint64_t number = numbers != nullptr ? numbers[group] : group;
  if (number == kNoGroup) return;
  if (counts != nullptr) {
    ++counts[number];
  } else {
    bitmaps[words * key + number / 64] |= std::uint64_t{1} << (number % 64);
  }
}

/// Goes on to the groups behind those of the block, whose cells begin at the cursor, and moves it
/// behind them. Places are summed up, cell by cell, but for large groups.
template <Type kType>
void GroupedFilters::go_on(Block& block, Cursor& cursor) const noexcept {
  block.first += block.groups;
  block.groups = 0;
  std::uint64_t placed = cursor.cell;  // the cells up to here have places
  std::size_t count = 0;               // of places
  const auto place_cells = [&] {
    for (; placed < cursor.cell; ++placed) {
      block.places[count++] = cursor.at;
      cursor.at += shape<kType>(units(placed)).bytes;
    }
  };
  const std::uint64_t end = std::min(block.first + kBlock, header_.groups);
  for (std::uint64_t group = block.first; group < end; ++group) {
    const unsigned b = std::min(bits(group), kMostBits);
    const std::uint64_t cells = std::uint64_t{1} << b;
    if (cells > header_.cells - cursor.cell) break;
    const std::size_t i = block.groups++;
    block.bits[i] = static_cast<std::uint8_t>(b);
    block.cells[i] = cursor.cell;
    if (b < kManyBits) {
      block.first_place[i] = static_cast<std::uint16_t>(count + (cursor.cell - placed));
      cursor.cell += cells;
      continue;
    }
    block.first_place[i] = Block::kLarge;
    place_cells();
    cursor.cell += cells;
    placed = cursor.cell;
    cursor.at = cursor.cell < header_.cells ? place_of(cursor.cell) : filters_bytes_;
  }
  place_cells();
}

template <Type kType>
inline void GroupedFilters::find_rows(const Block& block, std::uint64_t hi, const Mixed& mixed,
                                      Batch& batch) const noexcept {
  batch.size = 0;
  for (std::size_t i = 0; i < block.groups; ++i) {
    const unsigned b = block.bits[i];
    const std::uint64_t part = base::top_bits(hi, b);
    const std::uint64_t cell = block.cells[i] + part;
    const std::uint64_t at = block.first_place[i] == Block::kLarge
                                 ? place_of(cell)
                                 : block.places[block.first_place[i] + part];
    const std::uint64_t cell_units = units(cell);
    const Shape own = shape<kType>(cell_units);
    if (!is_whole(at, own)) continue;
    ribbon::Row& row = batch.rows[batch.size];
    row = place<kType>(at, cell_units, own, seed(cell), mixed[seed(cell)], hi, b);
    prefetch<kType>(row, hi);
    batch.groups[batch.size++] = block.first + i;
  }
}

template <Type kType>
inline void GroupedFilters::answer(const Batch& batch, std::uint64_t hi,
                                   const Answers& answers) const noexcept {
  std::array<std::uint64_t, kBlock> values;
  if constexpr (kType == Type::ribbon)
    kernel_.row_values({batch.rows.data(), batch.size}, values.data());
  for (std::size_t i = 0; i < batch.size; ++i) {
    const ribbon::Row& row = batch.rows[i];
    const bool may_hold = kType == Type::ribbon ? ribbon::is_fingerprint(values[i], hi, row.width)
                                                : passes<kType>(row, hi);
    if (may_hold) answers.add(batch.key, batch.groups[i]);
  }
}

template <Type kType>
void GroupedFilters::ask_some(std::span<const Hash128> hashes,
                              const Answers& answers) const noexcept {
  std::array<Mixed, kKeys> mixed{};
  if constexpr (has_ribbons(kType)) {
    for (unsigned seed = 0; seed < ribbon::kSmallSetSeeds; ++seed) {
      for (std::size_t k = 0; k < hashes.size(); ++k)
        mixed[k][seed] = mixed_hash(hashes[k].hi, seed);
    }
  }
  std::array<Batch, 2> batches;  // the bytes of one come while the rows of the other are found
  std::size_t current = 0;
  Block block;
  Cursor cursor;
  for (go_on<kType>(block, cursor); block.groups != 0; go_on<kType>(block, cursor)) {
    for (std::size_t k = 0; k < hashes.size(); ++k) {
      batches[current].key = k;
      find_rows<kType>(block, hashes[k].hi, mixed[k], batches[current]);
      current ^= 1;
      answer<kType>(batches[current], hashes[batches[current].key].hi, answers);
    }
  }
  current ^= 1;
  answer<kType>(batches[current], hashes[batches[current].key].hi, answers);
}

void GroupedFilters::ask_all(std::span<const Hash128> hashes,
                             const Answers& answers) const noexcept {
  for (std::size_t begin = 0; begin < hashes.size(); begin += kKeys) {
    const auto some = hashes.subspan(begin, std::min(kKeys, hashes.size() - begin));
    Answers own = answers;
    if (own.bitmaps != nullptr) own.bitmaps += own.words * begin;
    switch (header_.type) {
      case Type::ribbon:
        ask_some<Type::ribbon>(some, own);
        break;
      case Type::fuse:
        ask_some<Type::fuse>(some, own);
        break;
      case Type::split_block:
        ask_some<Type::split_block>(some, own);
        break;
      case Type::bloom:
        ask_some<Type::bloom>(some, own);
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
  ask_all(hashes, {.bitmaps = bitmaps, .words = words, .numbers = numbers});
}

void GroupedFilters::count(std::span<const Hash128> hashes, std::uint32_t* counts,
                           const std::uint64_t* numbers) const noexcept {
  ask_all(hashes, {.counts = counts, .numbers = numbers});
}

}  // namespace crivo::filter_set
