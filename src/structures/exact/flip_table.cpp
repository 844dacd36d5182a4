// SPDX-License-Identifier: Apache-2.0
#include "structures/exact/flip_table.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "crivo/error.hpp"

namespace crivo::exact {
namespace {

/// How many bits of the bitmap are for a flip, as a power of two: from half of that on.
constexpr unsigned kBitmapBits = 4;
/// How many flips a bucket has, from that to twice as many.
constexpr unsigned kBucketBits = 2;

[[noreturn]] void fail_table(const char* problem) {
  throw Error(ErrorKind::corrupt, std::string("damaged: ") + problem);
}

}  // namespace

FlipTable::Entry FlipTable::pack(const Flip& flip) noexcept {
  const std::uint64_t word = flip.cell << 24 | std::uint64_t{flip.cell_bits} << 18 |
                             std::uint64_t{flip.tag_bits} << 14 | flip.tag;
  return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32), flip.salt};
}

Flip FlipTable::unpack(const Entry& entry) noexcept {
  const std::uint64_t word = entry.word();
  return {.cell = word >> 24,
          .salt = entry.salt,
          .tag = static_cast<std::uint16_t>(word & ((1U << kMostTagBits) - 1)),
          .cell_bits = static_cast<std::uint8_t>(word >> 18 & 63),
          .tag_bits = static_cast<std::uint8_t>(word >> 14 & 15)};
}

FlipTable::FlipTable(std::span<const Delta> deltas, std::uint64_t groups) {
  std::vector<FlipReader> lists = read_lists(deltas, groups);
  lay_out(lists);
  take_flips(lists);
  sort_flips();
}

std::vector<FlipReader> FlipTable::read_lists(std::span<const Delta> deltas, std::uint64_t groups) {
  std::vector<FlipReader> lists;
  std::uint64_t flips = 0;
  for (const Delta& delta : deltas) {
    if (delta.groups != groups) fail_table("a delta of another number of groups");
    for (const FlipList& list : delta.lists) {
      lists.emplace_back(list, groups);
      for (std::uint64_t i = 0; i < list.added_groups(); ++i)
        added_.push_back({list.added_group(i), groups + i});
      groups += list.added_groups();
      flips += list.flips;
    }
  }
  if (flips >= UINT32_MAX) fail_table("too many flips");
  std::ranges::sort(added_, {}, &Added::hash);
  const auto twice = std::ranges::adjacent_find(added_, {}, &Added::hash);
  if (twice != added_.end()) fail_table("a group that is added twice");
  places_.assign(groups, kNone);
  return lists;
}

void FlipTable::lay_out(std::span<const FlipReader> lists) {
  for (const FlipReader& list : lists) {
    for (const FlipGroup& group : list.groups()) {
      std::uint32_t& place = places_[group.number];
      if (place == kNone) {
        place = static_cast<std::uint32_t>(pieces_.size());
        pieces_.emplace_back();
      }
      GroupFlips& piece = pieces_[place];
      piece.flips += static_cast<std::uint32_t>(group.flips);
      piece.least_cell_bits =
          static_cast<std::uint8_t>(std::min<unsigned>(piece.least_cell_bits, group.cell_bits));
    }
  }
  std::uint64_t bits = 0;
  std::uint64_t buckets = 0;
  std::uint32_t entries = 0;
  for (GroupFlips& piece : pieces_) {
    const auto size = static_cast<unsigned>(std::bit_width(piece.flips)) - 1;
    const unsigned most = piece.least_cell_bits;
    piece.bits = static_cast<std::uint8_t>(std::min(size + kBitmapBits, most));
    piece.bucket_bits =
        static_cast<std::uint8_t>(std::min(size > kBucketBits ? size - kBucketBits : 0, most));
    piece.first_bit = bits;
    piece.first_bucket = static_cast<std::uint32_t>(buckets);
    piece.first_entry = entries;
    entries += piece.flips;
    bits += std::uint64_t{1} << piece.bits;
    buckets += std::uint64_t{1} << piece.bucket_bits;
  }
  // In one piece: most of the time of small ones would go into getting them from the system.
  const std::size_t words = base::div_ceil(bits, 64);
  memory_ = base::HugeMemory(words * sizeof(std::uint64_t) + entries * sizeof(Entry) +
                             (buckets + 1) * sizeof(std::uint32_t));
  bitmap_ = {reinterpret_cast<std::uint64_t*>(memory_.data()), words};
  entries_ = {reinterpret_cast<Entry*>(bitmap_.data() + words), entries};
  starts_ = {reinterpret_cast<std::uint32_t*>(entries_.data() + entries), buckets + 1};
}

void FlipTable::take_flips(std::span<FlipReader> lists) {
  std::vector<std::uint32_t> next;  // entry of each group
  next.reserve(pieces_.size());
  for (const GroupFlips& piece : pieces_) next.push_back(piece.first_entry);
  std::vector<std::uint32_t> places;
  for (FlipReader& list : lists) {
    places.clear();
    for (const FlipGroup& group : list.groups()) places.push_back(places_[group.number]);
    list.for_each([&](std::size_t group, const Flip& flip) {
      const std::uint32_t place = places[group];
      const GroupFlips& piece = pieces_[place];
      const std::uint64_t bit = piece.first_bit + (flip.cell >> (flip.cell_bits - piece.bits));
      bitmap_[bit / 64] |= std::uint64_t{1} << (bit % 64);
      ++starts_[piece.first_bucket + (flip.cell >> (flip.cell_bits - piece.bucket_bits)) + 1];
      entries_[next[place]++] = pack(flip);
    });
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
}

void FlipTable::sort_flips() {
  std::uint32_t most = 0;
  for (const GroupFlips& piece : pieces_) most = std::max(most, piece.flips);
  std::vector<Entry> unsorted;      // of a group
  std::vector<std::uint32_t> next;  // entry of each of its buckets
  unsorted.reserve(most);
  for (const GroupFlips& piece : pieces_) {
    const auto own = entries_.subspan(piece.first_entry, piece.flips);
    unsorted.assign(own.begin(), own.end());
    const auto starts = starts_.begin() + piece.first_bucket;
    next.assign(starts, starts + (std::ptrdiff_t{1} << piece.bucket_bits));
    for (const Entry& entry : unsorted) {
      const std::uint64_t word = entry.word();
      entries_[next[word >> 24 >> ((word >> 18 & 63) - piece.bucket_bits)]++] = entry;
    }
  }
}

std::optional<std::uint64_t> FlipTable::added_group(std::uint64_t hash) const noexcept {
  const auto found = std::ranges::lower_bound(added_, hash, {}, &Added::hash);
  if (found == added_.end() || found->hash != hash) return std::nullopt;
  return found->number;
}

bool FlipTable::is_odd(std::uint32_t place, const Hash128& hash) const noexcept {
  const GroupFlips& piece = pieces_[place];
  const std::uint64_t bucket = piece.first_bucket + base::top_bits(hash.hi, piece.bucket_bits);
  bool odd = false;
  for (std::uint32_t i = starts_[bucket]; i < starts_[bucket + 1]; ++i)
    odd ^= unpack(entries_[i]).is_of(hash);
  return odd;
}

std::uint64_t FlipTable::memory_bytes() const noexcept {
  return places_.size() * sizeof(std::uint32_t) + pieces_.size() * sizeof(GroupFlips) +
         memory_.size() + added_.size() * sizeof(Added);
}

}  // namespace crivo::exact
