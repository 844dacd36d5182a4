// SPDX-License-Identifier: Apache-2.0
#include "structures/filter_set/build/builder.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/spool.hpp"
#include "crivo/error.hpp"
#include "structures/bits/fixed_point.hpp"
#include "structures/bloom/build/shape.hpp"
#include "structures/bloom/cells.hpp"
#include "structures/build/filter.hpp"
#include "structures/filter_set/build/groups_section.hpp"
#include "structures/fuse/build/builder.hpp"
#include "structures/retrieval/build/fingerprints.hpp"
#include "structures/ribbon/build/builder.hpp"
#include "structures/ribbon/build/small_set.hpp"
#include "structures/split_block/build/split_block.hpp"

namespace crivo::filter_set {

using ribbon::Band;

class CellShape {
 public:
  explicit CellShape(const FilterOptions& options) : options_(options) {
    const double fpr = filter::asked_fpr(options);
    header.rate = bits::fixed_part(fpr);
    if (options.type == "ribbon") {
      header.width = filter::ribbon_width(options);
      header.rate = bits::fixed_part(ribbon::rate_of(UINT64_MAX, header.width));
    } else if (options.type == "fuse") {
      header.type = Type::fuse;
      header.width = {filter::fingerprint_bits(options), 0};
      header.rate = bits::fixed_part(std::ldexp(1.0, -static_cast<int>(header.width.bits)));
    } else if (options.type == "split-block-bloom") {
      header.type = Type::split_block;
      (void)filter::forecast_split_block(1, options);  // refuses what it cannot meet
    } else {
      header.type = Type::bloom;
      options_.hashes = filter::bloom_shape(kCellKeys - 1, options, 1).hashes;
      header.hashes = options_.hashes;
    }
  }

  /// Whether the cells of a group of so many keys are fuse graphs.
  bool has_graphs(std::uint64_t group) const noexcept {
    return header.type == Type::fuse && group >= fuse::kSmallSetKeys;
  }
  /// Returns the bits of the hash that a group of so many keys needs at least for its cells.
  unsigned least_bits(std::uint64_t group) const noexcept {
    return has_graphs(group) ? fuse::shard_bits(group)
                             : static_cast<unsigned>(std::bit_width(group / kCellKeys));
  }
  /// Returns the units of a cell of so many keys, below kCellKeys where its group has no graphs.
  std::uint64_t units(std::uint64_t keys, std::uint64_t group) const {
    if (keys == 0) return 0;
    if (has_graphs(group)) {
      return fuse::choose_shape(group, kFuseArity).segment_bits * kGraphUnits +
             fuse::choose_segments(group, kFuseArity, keys);
    }
    if (header.type == Type::ribbon || header.type == Type::fuse)
      return slots_of(keys) / ribbon::kBlockSlots;
    std::uint16_t known = known_[keys].load(std::memory_order_relaxed);
    if (known == 0) {
      known = static_cast<std::uint16_t>(
          header.type == Type::split_block
              ? filter::split_block::blocks_for(keys, header.rate)
              : base::div_ceil(filter::bloom_shape(keys, options_, 1).regions.cells, 8));
      known_[keys].store(known, std::memory_order_relaxed);
    }
    return known;
  }

  Header header;

 private:
  /// A 64th more, and at least two, in whole blocks: a fifth of all seeds can be solved, or more.
  static std::uint64_t slots_of(std::uint64_t keys) noexcept {
    return base::align_up(keys + keys / 64 + 2, ribbon::kBlockSlots);
  }

  FilterOptions options_;
  mutable std::array<std::atomic<std::uint16_t>, kCellKeys> known_{};
};

/// The memory that a thread builds cells in.
struct Builder::Room {
  template <typename Value>
  struct Equations {
    Band<std::uint64_t, Value> band;
    std::vector<Value> values;
  };
  std::vector<Hash128> keys;
  Equations<std::uint8_t> narrow;
  Equations<std::uint16_t> middle;
  Equations<std::uint32_t> wide;

  /// The seed of the cell's ribbon, whose blocks are appended. `units` grow until one is found.
  template <typename Value>
  unsigned solve(Equations<Value>& equations, ribbon::Width width, std::uint64_t& units,
                 base::Bytes& to) {
    equations.values.clear();
    for (const Hash128 key : keys)
      equations.values.push_back(static_cast<Value>(detail::fingerprint(key.hi)));
    for (const std::uint64_t most = 2 * units + 16; units < most; ++units) {
      const auto solution = ribbon::solve_small_set<Value>(ribbon::HashPart::first_half, width,
                                                           ribbon::kBlockSlots * units, keys,
                                                           equations.values, equations.band);
      if (!solution) continue;
      to.insert(to.end(), solution->blocks.begin(), solution->blocks.end());
      return solution->seed;
    }
    fail("a ribbon");
  }

  /// The same of a cell's graph, in a group of so many keys.
  template <typename Value>
  unsigned solve_graph(Equations<Value>& equations, ribbon::Width width, std::uint64_t group,
                       std::uint64_t& units, base::Bytes& to) {
    const std::uint64_t mask = (std::uint64_t{1} << width.bits) - 1;
    equations.values.clear();
    for (const Hash128 key : keys)
      equations.values.push_back(static_cast<Value>(detail::fingerprint(key.hi) & mask));
    fuse::ShardBuilder<Value> builder(fuse::choose_shape(group, kFuseArity), width.bits,
                                      fuse::HashPart::first_half);
    std::optional<fuse::ShardImage> image;
    if (keys.size() <= fuse::kMaxShardKeys)
      image = builder.build(keys, equations.values, units % kGraphUnits);
    if (!image || image->segments >= kGraphUnits) fail("fuse graphs");
    units = units / kGraphUnits * kGraphUnits + image->segments;
    to.insert(to.end(), image->slots.begin(), image->slots.end());
    return image->seed;
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    throw Error(
        ErrorKind::bad_input,
        "the hashes of the keys are not random enough for " + what + "; build with another seed",
        {.remedy = "keyed_hash"});
  }
};

double bytes_of_group(const FilterOptions& options, double keys, double name_bytes) {
  const CellShape shape(options);
  const auto group = static_cast<std::uint64_t>(std::max(1.0, std::round(keys)));
  const double cells =
      shape.has_graphs(group)
          ? std::exp2(shape.least_bits(group))
          : std::exp2(std::ceil(std::max(0.0, std::log2(keys / (kCellKeys - 200.0)))));
  const auto each = static_cast<std::uint64_t>(std::max(1.0, std::round(keys / cells)));
  const auto filter = static_cast<double>(bytes_of(shape.header, shape.units(each, group)));
  return cells * (filter + kCellBytes + 0.25) + 2.5 + name_bytes;
}

Builder::Builder(const FilterOptions& options, std::vector<NamedGroup> names)
    : shape_(std::make_unique<const CellShape>(options)), names_(std::move(names)) {}
Builder::~Builder() = default;

Cell Builder::make_cell(std::span<const Hash128> keys, std::uint64_t group, unsigned bits,
                        Room& room, base::Bytes& to) const {
  const Header& header = shape_->header;
  std::uint64_t units = shape_->units(keys.size(), group);
  Cell cell;
  if (units == 0) return cell;
  const bool is_ribbon = header.type == Type::ribbon;
  room.keys.clear();
  for (const Hash128 key : keys) {
    const std::uint64_t hi = key.lo;
    room.keys.push_back(is_ribbon || header.type == Type::fuse ? Hash128{hi, hi}
                        : header.type == Type::bloom           ? bloom_hash(hi, bits)
                                                     : Hash128{split_block_hash(hi, bits), 0});
  }
  if (is_ribbon || header.type == Type::fuse) {
    const ribbon::Width width = header.width;
    const auto solve = [&](auto& equations) {
      return shape_->has_graphs(group) ? room.solve_graph(equations, width, group, units, to)
                                       : room.solve(equations, width, units, to);
    };
    const unsigned seed = width.bits <= 8    ? solve(room.narrow)
                          : width.bits <= 16 ? solve(room.middle)
                                             : solve(room.wide);
    cell.seed = static_cast<std::uint8_t>(seed);
  } else {
    const std::size_t begin = to.size();
    to.resize(begin + bytes_of(header, units));
    if (header.type == Type::split_block) {
      filter::split_block::fill(room.keys, units, 0, units, to.data() + begin);
    } else {
      for (const Hash128& key : room.keys) {
        filter::for_each_probe(key, {0, 8 * units}, 0, header.hashes, [&](std::uint64_t bit) {
          to[begin + bit / 8] |= std::byte{1} << (bit % 8);
          return true;
        });
      }
    }
  }
  cell.units = static_cast<std::uint16_t>(units);
  return cell;
}

Builder::Made Builder::make(const stream::KeySlice& keys) const {
  Room room;
  Made made;
  const std::span<const Hash128> all = keys.hashes;
  for (std::size_t begin = 0; begin < all.size();) {
    const auto next = std::ranges::upper_bound(all.subspan(begin), all[begin].hi, {}, &Hash128::hi);
    const auto end = static_cast<std::size_t>(next - all.begin());
    const std::span<const Hash128> group = all.subspan(begin, end - begin);
    // The fewest cells of which none is too large.
    const auto cell_end = [&](unsigned bits, std::uint64_t cell, std::size_t from) {
      if ((cell + 1) >> bits != 0) return group.size();
      const auto at = std::ranges::lower_bound(group.subspan(from), (cell + 1) << (64 - bits), {},
                                               &Hash128::lo);
      return static_cast<std::size_t>(at - group.begin());
    };
    const auto fits = [&](unsigned bits) {
      if (shape_->has_graphs(group.size())) return true;
      std::size_t from = 0;
      for (std::uint64_t cell = 0; cell >> bits == 0; ++cell) {
        const std::size_t to = cell_end(bits, cell, from);
        if (to - from >= kCellKeys) return false;
        from = to;
      }
      return true;
    };
    unsigned bits = shape_->least_bits(group.size());
    while (bits <= kMostBits && !fits(bits)) ++bits;
    if (bits > kMostBits) {
      throw Error(ErrorKind::bad_input,
                  "a group has more keys than a filter set can have, or their hashes are not "
                  "random enough; build with another seed",
                  {.remedy = "keyed_hash"});
    }
    const std::uint64_t place = made.body.size();
    made.groups.push_back({all[begin].hi, place, 0, made.cells.size(), bits});
    std::size_t from = 0;
    for (std::uint64_t cell = 0; cell >> bits == 0; ++cell) {
      const std::size_t to = cell_end(bits, cell, from);
      made.cells.push_back(
          make_cell(group.subspan(from, to - from), group.size(), bits, room, made.body));
      from = to;
    }
    made.groups.back().bytes = made.body.size() - place;
    begin = end;
  }
  return made;
}

void Builder::build(const stream::HashSource& keys, std::uint64_t all,
                    const base::BuildContext& context, base::Sink& sink) {
  constexpr std::uint64_t kPartKeys = std::uint64_t{1} << 15;
  const stream::PartCost cost{shape_->header.type == Type::fuse ? 72.0 : 24.0,
                              static_cast<double>(shape_->header.width.bits) / 8 + 1};
  base::Spool filters(context.scratch);
  keys.for_each_partition(
      static_cast<unsigned>(std::bit_width(all / kPartKeys)), cost, context,
      [&](std::uint64_t, const stream::KeySlice& some) {
        Made made = make(some);
        context.progress.add(some.size());
        return made;
      },
      [&](std::uint64_t, Made&& made) {
        for (Group& group : made.groups) {
          group.place += filters.size();
          group.cell += cells_.size();
          groups_.push_back(group);
        }
        cells_.insert(cells_.end(), made.cells.begin(), made.cells.end());
        filters.append(made.body);
      });
  add_empty_groups();
  base::Bytes bytes;
  for (const NamedGroup& name : names_) {
    const Group& group = group_of(name.hash);
    bytes.resize(group.bytes);
    filters.read(group.place, bytes);
    sink.append(bytes);
  }
  sink.append(base::Bytes(kEndPadding));
}

void Builder::add_empty_groups() {
  const std::size_t made = groups_.size();
  std::size_t named = 0;  // of these
  for (const NamedGroup& name : names_) {
    if (std::ranges::binary_search(std::span(groups_).first(made), name.hash, {}, &Group::hash)) {
      ++named;
      continue;
    }
    groups_.push_back({.hash = name.hash, .cell = cells_.size()});
    cells_.emplace_back();
  }
  if (named != made) throw Error(ErrorKind::corrupt, "damaged: the group of some keys has no name");
  std::ranges::sort(groups_, {}, &Group::hash);
}

const Builder::Group& Builder::group_of(std::uint64_t hash) const noexcept {
  return *std::ranges::lower_bound(groups_, hash, {}, &Group::hash);
}

base::Bytes Builder::groups() const {
  GroupsSection section(shape_->header);
  for (const NamedGroup& name : names_) {
    const Group& group = group_of(name.hash);
    section.add(name.name, group.bits,
                std::span(cells_).subspan(group.cell, std::size_t{1} << group.bits));
  }
  return section.finish();
}

}  // namespace crivo::filter_set
