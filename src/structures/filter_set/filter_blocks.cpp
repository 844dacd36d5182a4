// SPDX-License-Identifier: Apache-2.0
#include "structures/filter_set/filter_blocks.hpp"

#include <algorithm>
#include <bit>

#include "base/arithmetic.hpp"
#include "structures/filter_set/filter_set.hpp"

namespace crivo::filter_set {
namespace {

/// Blocks whose rows are asked for before the first is looked at.
constexpr std::size_t kBlocksAhead = 8;
constexpr std::size_t kWords = kMostColumns / 64;
constexpr std::uint64_t kMostNames = std::uint64_t{1} << 40;

using Found = std::array<std::uint64_t, kWords>;

/// The groups of a block that have all bits of the rows; a bit behind the last group may be set.
template <std::size_t kRowWords>
void intersect(const std::byte* const* rows, unsigned count, std::size_t words,
               Found& found) noexcept {
  if constexpr (kRowWords != 0) words = kRowWords;
  for (std::size_t w = 0; w < words; ++w) found[w] = ~std::uint64_t{0};
  for (unsigned i = 0; i < count; ++i) {
    for (std::size_t w = 0; w < words; ++w)
      found[w] &= base::load_le<std::uint64_t>(rows[i] + 8 * w);
  }
}

}  // namespace

BlockEntry BlockEntry::load(const std::byte* at) noexcept {
  return {base::load_le<std::uint64_t>(at), base::load_le<std::uint64_t>(at + 8),
          base::load_le<std::uint32_t>(at + 16), base::load_le<std::uint32_t>(at + 20)};
}

void BlockEntry::write(base::FieldWriter& to) const {
  to.u64(place).u64(rows).u32(first).u32(columns);
}

base::Bytes BlocksHeader::encode() const {
  base::FieldWriter w;
  w.u32(kBlocksLayout).u32(hashes).u64(0);
  w.u64(rate).u64(groups).u64(positions).u64(name_bytes).u64(blocks);
  return w.align(kBytes).take();
}

BlocksHeader BlocksHeader::decode(base::ByteView section) {
  base::FieldReader r(section, "groups section");
  BlocksHeader header;
  if (r.u32() != kBlocksLayout) r.fail("has filters of an unknown type");
  header.hashes = r.u32();
  r.zeros(8);
  header.rate = r.u64();
  header.groups = r.u64();
  header.positions = r.u64();
  header.name_bytes = r.u64();
  header.blocks = r.u64();
  r.align(kBytes);
  if (header.hashes < 1 || header.hashes > filter::kMaxHashes)
    r.fail("impossible number of hashes");
  if (header.positions >= kNoPosition || header.groups > header.positions ||
      header.blocks > header.positions || header.name_bytes > 256 * kMostNames)
    r.fail("has impossible numbers of groups, blocks or bytes of names");
  return header;
}

FilterBlocks::FilterBlocks(base::ByteView groups, base::ByteView filters)
    : header_(BlocksHeader::decode(groups)) {
  base::FieldReader r(groups, "groups section");
  r.take(BlocksHeader::kBytes);
  blocks_ = r.take(BlockEntry::kBytes * header_.blocks).data();
  groups_ = r.take(4 * header_.positions).data();
  positions_ = r.take(4 * header_.groups).data();
  const base::ByteView places = r.take(8 * base::div_ceil(header_.groups, kBlock));
  names_ = NameTable(header_.groups, places, 8, r.take(header_.name_bytes));
  r.expect_end();
  base::FieldReader f(filters, "filters section");
  if (filters.size() < kBlocksPadding) f.fail("is shorter than its padding");
  filters_ = f.take(filters.size() - kBlocksPadding);
  f.zeros(kBlocksPadding);
}

base::ByteView FilterBlocks::bytes(const BlockEntry& block) const noexcept {
  const std::uint64_t width = block.width();
  if (block.columns < 1 || block.columns > kMostColumns || block.place > filters_.size() ||
      block.rows < 1 || block.rows > (filters_.size() - block.place) / width ||
      block.first > header_.positions || block.columns > header_.positions - block.first)
    return {};
  return filters_.subspan(block.place, block.rows * width);
}

void FilterBlocks::check() const {
  names_.check();
  const base::FieldReader at(base::ByteView(), "groups section");
  std::uint64_t place = 0;
  std::uint64_t position = 0;
  for (std::uint64_t b = 0; b < header_.blocks; ++b) {
    const BlockEntry entry = block(b);
    if (entry.place != place || entry.first != position || bytes(entry).empty())
      at.fail("a block is not where it should be");
    place += entry.rows * entry.width();
    position += entry.columns;
  }
  if (place != filters_.size() || position != header_.positions)
    at.fail("its blocks are not those of its groups");
  std::uint64_t found = 0;
  for (std::uint64_t p = 0; p < position; ++p) {
    const std::uint32_t group = group_at(p);
    if (group == kNoPosition) continue;
    if (group >= header_.groups || position_of(group) != p) at.fail("a position is wrong");
    ++found;
  }
  if (found != header_.groups) at.fail("a group has no position");
}

std::optional<FilterBlocks::Column> FilterBlocks::column_of(std::uint64_t group) const noexcept {
  const std::uint32_t position = position_of(group);
  std::uint64_t low = 0;  // the last block that does not begin behind it
  std::uint64_t high = header_.blocks;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (block(middle).first <= position ? low : high) = middle;
  }
  if (low >= header_.blocks) return std::nullopt;
  const BlockEntry entry = block(low);
  if (bytes(entry).empty() || position < entry.first || position - entry.first >= entry.columns)
    return std::nullopt;
  return Column{entry, position - entry.first};
}

std::uint64_t FilterBlocks::size_of(std::uint64_t group) const noexcept {
  const std::optional<Column> own = column_of(group);
  return own ? own->block.rows : 0;
}

void FilterBlocks::contains(std::uint64_t group, std::span<const Hash128> hashes,
                            bool* answers) const noexcept {
  std::fill_n(answers, hashes.size(), false);
  if (group >= header_.groups) return;
  const std::optional<Column> own = column_of(group);
  if (!own) return;
  const std::byte* const begin = filters_.data() + own->block.place + own->column / 8;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const KeyProbes probes(hashes[i].hi, header_.hashes);
    bool all = true;
    for (unsigned p = 0; p < probes.count() && all; ++p) {
      const std::byte byte = begin[own->block.width() * probes.row(p, own->block.rows)];
      all = (std::to_integer<unsigned>(byte) >> (own->column % 8) & 1) != 0;
    }
    answers[i] = all;
  }
}

/// Calls use(group) for each that may hold the key.
template <typename Use>
void FilterBlocks::for_each_found(std::uint64_t hi, Use&& use) const noexcept {
  struct Asked {
    BlockEntry block;
    std::array<const std::byte*, filter::kMaxHashes> rows;
  };
  const KeyProbes probes(hi, header_.hashes);
  std::array<Asked, kBlocksAhead> asked;
  std::uint64_t added = 0;
  Found found;
  const auto answer = [&](const Asked& one) {
    const std::uint64_t columns = one.block.columns;
    const std::size_t words = base::div_ceil(columns, 64);
    if (words == kWords) {
      intersect<kWords>(one.rows.data(), probes.count(), words, found);
    } else {
      intersect<0>(one.rows.data(), probes.count(), words, found);
    }
    if (columns % 64 != 0) found[words - 1] &= (std::uint64_t{1} << (columns % 64)) - 1;
    for (std::size_t w = 0; w < words; ++w) {
      for (std::uint64_t left = found[w]; left != 0; left &= left - 1) {
        const std::uint32_t group =
            group_at(one.block.first + 64 * w + static_cast<unsigned>(std::countr_zero(left)));
        if (group < header_.groups) use(group);
      }
    }
  };
  for (std::uint64_t b = 0; b < header_.blocks; ++b) {
    const BlockEntry entry = block(b);
    const base::ByteView all = bytes(entry);
    if (all.empty()) continue;
    Asked& one = asked[added % kBlocksAhead];
    if (added >= kBlocksAhead) answer(one);
    ++added;
    one.block = entry;
    for (unsigned p = 0; p < probes.count(); ++p) {
      one.rows[p] = all.data() + entry.width() * probes.row(p, entry.rows);
      __builtin_prefetch(one.rows[p]);
    }
  }
  for (std::uint64_t i = added - std::min<std::uint64_t>(added, kBlocksAhead); i < added; ++i)
    answer(asked[i % kBlocksAhead]);
}

void FilterBlocks::groups_of(std::span<const Hash128> hashes, std::uint64_t* bitmaps,
                             std::size_t words, const std::uint64_t* numbers) const noexcept {
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    for_each_found(hashes[i].hi, [&](std::uint64_t group) {
      const std::uint64_t number = numbers != nullptr ? numbers[group] : group;
      if (number != kNoGroup) bitmaps[words * i + number / 64] |= std::uint64_t{1} << (number % 64);
    });
  }
}

void FilterBlocks::count(std::span<const Hash128> hashes, std::uint32_t* counts,
                         const std::uint64_t* numbers) const noexcept {
  for (const Hash128 hash : hashes) {
    for_each_found(hash.hi, [&](std::uint64_t group) {
      const std::uint64_t number = numbers != nullptr ? numbers[group] : group;
      if (number != kNoGroup) ++counts[number];
    });
  }
}

}  // namespace crivo::filter_set
