// SPDX-License-Identifier: Apache-2.0
#include "structures/filter_set/build/block_builder.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "base/arithmetic.hpp"
#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "structures/bits/fixed_point.hpp"
#include "structures/bloom/build/shape.hpp"
#include "structures/build/filter.hpp"
#include "structures/filter_set/filter_set.hpp"

namespace crivo::filter_set {
namespace {

using bits::Uint128;

/// From so many groups on the blocks are wide: neighbours in size are alike then.
constexpr std::uint64_t kManyGroups = std::uint64_t{1} << 15;
constexpr std::uint64_t kFewColumns = 64;
/// Sizes are told apart in so many steps.
constexpr std::uint64_t kSteps = 64;
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 40;

/// The rate of a filter of so many rows with `keys` keys: the power of the part of its bits that
/// are set. That varies, which adds to the mean of the power: by its square's part of the pairs of
/// probes.
Uint128 rate_of(std::uint64_t keys, unsigned hashes, std::uint64_t rows) noexcept {
  constexpr Uint128 kMostLoad = std::uint64_t{1} << (bits::kLogBits + 5);
  constexpr unsigned kPartBits = 32;
  const Uint128 load = std::min((Uint128{keys} * hashes << bits::kLogBits) / rows, kMostLoad);
  const std::uint64_t empty =
      bits::power_of_half(static_cast<std::uint64_t>((load << 64) / bits::kLn2));
  const std::uint64_t fill = -empty;
  const Uint128 log = Uint128{hashes} * bits::minus_log2(fill);
  const std::uint64_t rate =
      bits::power_of_half(static_cast<std::uint64_t>(std::min<Uint128>(log, UINT64_MAX)));
  // The variance of the number of empty cells when balls are thrown into bins:
  // empty (1 - (1 + load) empty) for each bin.
  const auto loaded =
      static_cast<std::uint64_t>((load + (Uint128{1} << bits::kLogBits)) * empty >> bits::kLogBits);
  const std::uint64_t square = std::max<std::uint64_t>(base::mulhi(fill, fill), 1);
  const Uint128 part = std::min<Uint128>(
      (Uint128{base::mulhi(empty, -loaded)} << kPartBits) / rows / square, Uint128{1} << kPartBits);
  const std::uint64_t pairs = std::uint64_t{hashes} * (hashes - 1) / 2;
  return rate + (Uint128{rate} * pairs * part >> kPartBits);
}

BlocksHeader header_of(const FilterOptions& options, std::uint64_t groups) {
  BlocksHeader header;
  header.rate = bits::fixed_part(filter::asked_fpr(options));
  header.hashes = filter::bloom_shape(kCellKeys - 1, options, 1).hashes;
  header.groups = groups;
  return header;
}

/// The groups of a block, where there are so many.
constexpr std::uint64_t columns_of(std::uint64_t groups) noexcept {
  return groups >= kManyGroups ? kMostColumns : kFewColumns;
}

std::vector<std::string_view> names_of(const std::vector<NamedGroup>& groups) {
  std::vector<std::string_view> names;
  names.reserve(groups.size());
  for (const NamedGroup& group : groups) names.push_back(group.name);
  return names;
}

}  // namespace

std::uint64_t block_rows(std::span<const std::uint64_t> keys, unsigned hashes, std::uint64_t rate) {
  const std::uint64_t step = std::max<std::uint64_t>(1, keys.back() / kSteps);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes;  // with how many groups have it
  for (const std::uint64_t own : keys) {
    const std::uint64_t size = base::align_up(own, step);
    if (sizes.empty() || sizes.back().first != size) sizes.emplace_back(size, 0);
    ++sizes.back().second;
  }
  const auto is_enough = [&](std::uint64_t rows) {
    Uint128 sum = 0;
    for (const auto& [size, groups] : sizes) {
      if (size != 0) sum += rate_of(size, hashes, rows) * groups;
    }
    return sum <= Uint128{rate} * keys.size();
  };
  std::uint64_t low = 0;
  std::uint64_t high = kMostRows;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (is_enough(middle) ? high : low) = middle;
  }
  return high;
}

std::uint64_t block_bytes(const FilterOptions& options, std::uint64_t keys) {
  const BlocksHeader header = header_of(options, 1);
  return kFewColumns / 8 * block_rows({&keys, 1}, header.hashes, header.rate);
}

std::uint64_t bytes_in_blocks(const FilterOptions& options, std::vector<std::uint64_t> keys) {
  const BlocksHeader header = header_of(options, keys.size());
  std::ranges::sort(keys);
  const std::uint64_t columns = columns_of(keys.size());
  std::uint64_t bytes = 0;
  for (std::uint64_t begin = 0; begin < keys.size(); begin += columns) {
    const auto own = std::span(keys).subspan(begin, std::min(columns, keys.size() - begin));
    bytes += base::div_ceil(own.size(), 8) * block_rows(own, header.hashes, header.rate) +
             BlockEntry::kBytes;
  }
  return bytes + 8 * keys.size() + base::div_ceil(keys.size(), 4);
}

BlocksTable::BlocksTable(const BlocksHeader& header, std::vector<std::string_view> names)
    : header_(header), names_(std::move(names)), positions_(names_.size()) {}

void BlocksTable::add(std::uint64_t rows, std::span<const std::uint32_t> groups) {
  const BlockEntry entry{place_, rows, static_cast<std::uint32_t>(groups_.size()),
                         static_cast<std::uint32_t>(groups.size())};
  blocks_.push_back(entry);
  for (const std::uint32_t group : groups) {
    if (group != kNoPosition) positions_[group] = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back(group);
  }
  place_ += rows * entry.width();
}

base::Bytes BlocksTable::finish() const {
  base::FieldWriter blocks;
  base::FieldWriter places;
  base::FieldWriter names;
  for (const BlockEntry& block : blocks_) block.write(blocks);
  for (const std::uint32_t group : groups_) blocks.u32(group);
  for (const std::uint32_t position : positions_) blocks.u32(position);
  for (std::size_t g = 0; g < names_.size(); ++g) {
    if (g % kBlock == 0) places.u64(names.view().size());
    names.u8(static_cast<std::uint8_t>(names_[g].size())).bytes(base::as_bytes(names_[g]));
  }
  BlocksHeader header = header_;
  header.groups = names_.size();
  header.blocks = blocks_.size();
  header.positions = groups_.size();
  header.name_bytes = names.view().size();
  base::FieldWriter section;
  section.bytes(header.encode()).bytes(blocks.view()).bytes(places.view());
  return section.bytes(names.view()).take();
}

BlockBuilder::BlockBuilder(const FilterOptions& options, std::vector<NamedGroup> names)
    : header_(header_of(options, names.size())),
      names_(std::move(names)),
      table_(header_, names_of(names_)) {
  if (names_.size() >= kNoPosition)
    throw Error(ErrorKind::bad_input, "a filter set in blocks has less than 2^32 groups");
}

void BlockBuilder::spool_keys(const stream::HashSource& keys, std::uint64_t all,
                              const base::BuildContext& context, base::Spool& spool) {
  constexpr std::uint64_t kPartKeys = std::uint64_t{1} << 15;
  struct Made {
    base::FieldWriter body;
    std::vector<Group> groups;
  };
  keys.for_each_partition(
      static_cast<unsigned>(std::bit_width(all / kPartKeys)), stream::PartCost{16, 8}, context,
      [&](std::uint64_t, const stream::KeySlice& some) {
        Made made;
        for (const Hash128 key : some.hashes) {
          if (made.groups.empty() || made.groups.back().hash != key.hi)
            made.groups.push_back({key.hi, made.body.view().size()});
          ++made.groups.back().keys;
          made.body.u64(key.lo);
        }
        context.progress.add(some.size());
        return made;
      },
      [&](std::uint64_t, Made&& made) {
        for (Group& group : made.groups) {
          group.place += spool.size();
          groups_.push_back(group);
        }
        spool.append(made.body.view());
      });
  const std::size_t made = groups_.size();  // those that have keys
  for (std::uint32_t number = 0; number < names_.size(); ++number) {
    const std::uint64_t hash = names_[number].hash;
    const auto known = std::span(groups_).first(made);
    const auto found = std::ranges::lower_bound(known, hash, {}, &Group::hash);
    if (found == known.end() || found->hash != hash) {
      groups_.push_back({.hash = hash, .number = number});
    } else {
      found->number = number;
    }
  }
  std::ranges::sort(groups_, {}, [](const Group& one) { return std::tuple(one.keys, one.number); });
}

/// The bytes of the filters of groups side by side.
base::Bytes BlockBuilder::block_of(std::span<const Group> groups, std::uint64_t rows,
                                   const base::Spool& spool) const {
  constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 13;
  const std::uint64_t width = (groups.size() + 7) / 8;
  base::Bytes bits(rows * width);
  base::Bytes some;
  for (std::size_t column = 0; column < groups.size(); ++column) {
    const std::byte bit = std::byte{1} << (column % 8);
    for (std::uint64_t begin = 0; begin < groups[column].keys; begin += kAtOnce) {
      some.resize(8 * std::min(kAtOnce, groups[column].keys - begin));
      spool.read(groups[column].place + 8 * begin, some);
      for (std::size_t at = 0; at < some.size(); at += 8) {
        const KeyProbes probes(base::load_le<std::uint64_t>(some.data() + at), header_.hashes);
        for (unsigned p = 0; p < probes.count(); ++p)
          bits[width * probes.row(p, rows) + column / 8] |= bit;
      }
    }
  }
  return bits;
}

void BlockBuilder::build(const stream::HashSource& keys, std::uint64_t all,
                         const base::BuildContext& context, base::Sink& sink) {
  base::Spool spool(context.scratch);
  spool_keys(keys, all, context, spool);
  const std::uint64_t columns = columns_of(groups_.size());
  const std::uint64_t blocks = base::div_ceil(groups_.size(), columns);
  struct Block {
    std::span<const Group> groups;
    std::uint64_t rows = 0;
    base::Bytes bytes;
  };
  const std::span<const Group> groups(groups_);
  for (std::uint64_t begin = 0; begin < blocks; begin += context.threads) {
    std::vector<Block> some(std::min<std::uint64_t>(context.threads, blocks - begin));
    base::parallel_with(context.threads, some.size(), [&](unsigned) {
      return [&](std::uint64_t i) {
        const std::uint64_t first = (begin + i) * columns;
        Block& own = some[i];
        own.groups = groups.subspan(first, std::min(columns, groups.size() - first));
        std::vector<std::uint64_t> sizes;
        for (const Group& group : own.groups) sizes.push_back(group.keys);
        own.rows = block_rows(sizes, header_.hashes, header_.rate);
        own.bytes = block_of(own.groups, own.rows, spool);
      };
    });
    for (const Block& block : some) {
      std::vector<std::uint32_t> numbers;
      for (const Group& group : block.groups) numbers.push_back(group.number);
      table_.add(block.rows, numbers);
      sink.append(block.bytes);
    }
  }
  sink.append(base::Bytes(kBlocksPadding));
}

}  // namespace crivo::filter_set
