// SPDX-License-Identifier: Apache-2.0
#include "structures/exact/delta_builder.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "crivo/error.hpp"
#include "structures/exact/gathered_keys.hpp"
#include "structures/exact/group_table.hpp"

namespace crivo::exact {
namespace {

using stream::HashedValue;
using stream::KeySlice;

/// Of a gathered key, beside the index of its group: the universe has it, and answers `member`.
constexpr std::uint64_t kSeen = std::uint64_t{1} << 63;
/// A member is answered so.
constexpr std::uint64_t kRight = std::uint64_t{1} << 62;
constexpr std::uint64_t kGroupMask = kRight - 1;
/// Of a flip, with what is gathered for it.
constexpr std::uint64_t kFlipBytes = 500;
constexpr std::size_t kAskedAtOnce = 256;

/// A flip, and whether it is a member that is added.
struct Wrong {
  GroupedKey key;
  bool is_member = false;
};

/// The cells of flips, as a bitmap before what is exact.
class FlipPlaces {
 public:
  FlipPlaces(std::span<const GroupedKey> flips, std::span<const FlipGroup> groups,
             std::uint64_t known)
      : places_(known, FlipTable::kNone) {
    std::uint64_t bits = 0;
    std::size_t begin = 0;
    for (const FlipGroup& group : groups) {
      places_[group.number] = static_cast<std::uint32_t>(pieces_.size());
      const auto size = static_cast<unsigned>(std::bit_width(group.flips));
      GroupFlips piece{bits, begin, begin + group.flips, std::min(size + 4, group.cell_bits),
                       group.cell_bits};
      bits += std::uint64_t{1} << piece.bits;
      bitmap_.resize(base::div_ceil(bits, 64));
      for (; begin < piece.end; ++begin) {
        const std::uint64_t hi = flips[begin].hash.hi;
        const std::uint64_t bit = piece.first_bit + base::top_bits(hi, piece.bits);
        bitmap_[bit / 64] |= std::uint64_t{1} << (bit % 64);
        cells_.push_back(base::top_bits(hi, piece.cell_bits));
      }
      pieces_.push_back(piece);
    }
  }

  bool has(std::uint64_t group, std::uint64_t hi) const noexcept {
    const std::uint32_t place = places_[group];
    if (place == FlipTable::kNone) return false;
    const GroupFlips& piece = pieces_[place];
    const std::uint64_t bit = piece.first_bit + base::top_bits(hi, piece.bits);
    if ((bitmap_[bit / 64] >> (bit % 64) & 1) == 0) return false;
    const auto cells = std::span(cells_).subspan(piece.begin, piece.end - piece.begin);
    return std::ranges::binary_search(cells, base::top_bits(hi, piece.cell_bits));
  }

 private:
  struct GroupFlips {
    std::uint64_t first_bit;
    std::size_t begin;
    std::size_t end;
    unsigned bits;
    unsigned cell_bits;
  };
  std::vector<std::uint32_t> places_;
  std::vector<GroupFlips> pieces_;
  std::vector<std::uint64_t> bitmap_;
  std::vector<std::uint64_t> cells_;
};

class FlipBuilder {
 public:
  FlipBuilder(const stream::HashSource& members, const UniverseKeys& universe,
              const LayeredSet& known, std::uint64_t memory_bytes,
              const std::filesystem::path& temp_dir, const base::BuildContext& context)
      : members_(members),
        universe_(universe),
        known_(known),
        memory_bytes_(memory_bytes),
        context_(context),
        grouped_(known.set().totals().grouped),
        gathered_(2 * members.size(), {memory_bytes / 2, temp_dir}, context) {
    for (std::uint64_t number = 0; number < known.groups(); ++number)
      answering_.push_back(known.answering(number));
  }

  MadeFlips build() {
    scan_universe();
    add_members();
    gathered_.finish();
    made_.temp_bytes = gathered_.temp_bytes();
    number_groups();
    find_wrong();
    find_groups();
    gather_others();
    made_.bits = encode_flips(flips_, others_, groups_, context_.threads);
    made_.list.flips = flips_.size();
    made_.list.listed = groups_.size();
    made_.list.members = members_.size();
    made_.list.universe = keys_;
    return std::move(made_);
  }

 private:
  /// The number of a group that is known: beyond that, the index in new_ is to be added.
  std::uint64_t known_groups() const noexcept { return answering_.size(); }

  /// Keys of the universe that wait until there are enough to ask for their answers.
  struct Waiting {
    std::vector<Hash128> hashes;
    std::vector<std::uint64_t> numbers;
  };
  /// What a thread has seen of the universe.
  struct alignas(64) Scan {
    std::array<Waiting, static_cast<std::size_t>(Class::all) + 1> by_class;
    std::array<bool, kAskedAtOnce> answers{};
    std::vector<std::uint64_t> counts;
    GroupTable added;
    std::uint64_t keys = 0;
    std::uint64_t sum = 0;
    std::uint64_t last_hash = 0;
    std::optional<std::uint64_t> last_number;
  };

  void scan_universe() {
    std::vector<Scan> all(context_.threads);
    for (Scan& one : all) one.counts.assign(known_groups(), 0);
    universe_.for_each(context_, [&](unsigned thread, std::span<const Hash128> hashes,
                                     std::span<const std::uint64_t> groups) {
      scan(hashes, groups, thread, all[thread]);
    });
    counts_.assign(known_groups(), 0);
    for (unsigned thread = 0; thread < all.size(); ++thread) {
      Scan& one = all[thread];
      for (std::size_t kind = 0; kind < one.by_class.size(); ++kind) {
        if (!one.by_class[kind].hashes.empty()) ask(static_cast<Class>(kind), thread, one);
      }
      for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += one.counts[i];
      new_.add(one.added);
      keys_ += one.keys;
      sum_ += one.sum;
    }
  }

  void scan(std::span<const Hash128> hashes, std::span<const std::uint64_t> groups, unsigned thread,
            Scan& mine) {
    mine.keys += hashes.size();
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      mine.sum += hashes[i].hi;
      const std::uint64_t group = groups.empty() ? 0 : groups[i];
      if (!mine.last_number || group != mine.last_hash) {
        mine.last_number = known_.number_of(group);
        mine.last_hash = group;
      }
      if (!mine.last_number) {  // of a new group all keys are answered `other`
        ++mine.added[mine.added.index_of(group)].universe;
        continue;
      }
      ++mine.counts[*mine.last_number];
      const Class kind = answering_[*mine.last_number].kind;
      Waiting& some = mine.by_class[static_cast<std::size_t>(kind)];
      some.hashes.push_back(hashes[i]);
      some.numbers.push_back(*mine.last_number);
      if (some.hashes.size() == kAskedAtOnce) ask(kind, thread, mine);
    }
  }

  /// Gathers those of a class's waiting keys that are answered `member`.
  void ask(Class kind, unsigned thread, Scan& mine) {
    Waiting& some = mine.by_class[static_cast<std::size_t>(kind)];
    auto& writer = gathered_.writer(thread);
    known_.set().contains(kind, some.hashes, mine.answers.data());
    for (std::size_t i = 0; i < some.hashes.size(); ++i) {
      const std::uint64_t number = some.numbers[i];
      const bool flipped = known_.flips().is_flipped(answering_[number].place, some.hashes[i]);
      if (mine.answers[i] != flipped) writer.add({some.hashes[i], number | kSeen});
    }
    some.hashes.clear();
    some.numbers.clear();
  }

  void add_members() {
    struct Part {
      std::vector<HashedValue> known;
      std::vector<HashedValue> of_new;  ///< with the hash of the group
    };
    members_.for_each_partition(
        stream::partition_bits_for(members_.size()), {}, context_,
        [&](std::uint64_t, const KeySlice& keys) {
          Part part;
          for (std::size_t i = 0; i < keys.size(); ++i) {
            const std::uint64_t group = grouped_ ? keys.values[i] : 0;
            const auto number = known_.number_of(group);
            if (!number) {
              part.of_new.push_back({keys.hashes[i], group});
              continue;
            }
            const bool right = known_.contains(answering_[*number], keys.hashes[i]);
            part.known.push_back({keys.hashes[i], *number | (right ? kRight : 0)});
          }
          return part;
        },
        [&](std::uint64_t, const Part& part) {
          for (const HashedValue& key : part.known) gathered_.writer(0).add(key);
          for (const HashedValue& key : part.of_new)
            gathered_.writer(0).add({key.hash, known_groups() + new_.index_of(key.value)});
        });
  }

  /// New groups get numbers in the order of their hashes.
  void number_groups() {
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (std::size_t i = 0; i < new_.entries().size(); ++i)
      order.emplace_back(new_.entries()[i].hash, i);
    std::ranges::sort(order);
    new_numbers_.resize(order.size());
    made_.added.resize(8 * order.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      new_numbers_[order[rank].second] = known_groups() + rank;
      base::store_le(made_.added.data() + 8 * rank, order[rank].first);
      counts_.push_back(new_.entries()[order[rank].second].universe);
    }
  }
  std::uint64_t final_number(std::uint64_t index) const noexcept {
    return index < known_groups() ? index : new_numbers_[index - known_groups()];
  }

  void find_wrong() {
    struct Part {
      std::vector<Wrong> wrong;
      std::uint64_t missing = 0;
    };
    const auto keys = gathered_.with_repeats();
    keys->for_each_partition(
        gathered_.partition_bits(), {}, context_,
        [&](std::uint64_t, const KeySlice& slice) {
          Part part;
          for_each_run(slice, [&](const Hash128& hash, std::uint64_t least, std::uint64_t most) {
            const bool is_member = least < kSeen;
            if (is_member && (least & kRight) != 0) {
              part.missing += most < kSeen ? 1 : 0;
              return;
            }
            part.wrong.push_back({{final_number(least & kGroupMask), hash}, is_member});
          });
          return part;
        },
        [&](std::uint64_t, const Part& part) {
          wrong_.insert(wrong_.end(), part.wrong.begin(), part.wrong.end());
          made_.missing += part.missing;
          if (wrong_.size() > memory_bytes_ / kFlipBytes) {
            throw Error(ErrorKind::io,
                        "the delta changes too many keys for its memory; build a new base",
                        {.remedy = "memory"});
          }
        });
    std::ranges::sort(wrong_, {}, &Wrong::key);
    flips_.reserve(wrong_.size());
    for (const Wrong& one : wrong_) flips_.push_back(one.key);
  }

  void find_groups() {
    for (std::size_t begin = 0; begin < flips_.size();) {
      std::size_t end = begin;
      while (end < flips_.size() && flips_[end].group == flips_[begin].group) ++end;
      const std::uint64_t number = flips_[begin].group;
      groups_.push_back({number, end - begin, cell_bits_for(counts_[number], end - begin)});
      begin = end;
    }
  }

  /// All keys in the cells of flips.
  void gather_others() {
    const FlipPlaces cells(flips_, groups_, counts_.size());
    struct alignas(64) Thread {
      std::vector<GroupedKey> others;
      std::uint64_t sum = 0;
    };
    std::vector<Thread> all(context_.threads);
    universe_.for_each(context_, [&](unsigned thread, std::span<const Hash128> hashes,
                                     std::span<const std::uint64_t> groups) {
      Thread& mine = all[thread];
      std::uint64_t last = 0;
      std::optional<std::uint64_t> number;
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        mine.sum += hashes[i].hi;
        const std::uint64_t group = groups.empty() ? 0 : groups[i];
        if (!number || group != last) number = number_of(group);
        last = group;
        if (!number) fail_changed();
        if (cells.has(*number, hashes[i].hi)) mine.others.push_back({*number, hashes[i]});
      }
    });
    std::uint64_t sum = 0;
    for (Thread& one : all) {
      others_.insert(others_.end(), one.others.begin(), one.others.end());
      one.others = {};
      sum += one.sum;
    }
    if (sum != sum_) fail_changed();
    sort_others();
    for (const Wrong& one : wrong_) {
      if (std::ranges::binary_search(others_, one.key)) continue;
      if (!one.is_member) fail_changed();
      ++made_.missing;
    }
    if (made_.missing == 0) return;  // no member is in no universe
    members_.for_each_partition(
        stream::partition_bits_for(members_.size()), {}, context_,
        [&](std::uint64_t, const KeySlice& keys) {
          std::vector<GroupedKey> others;
          for (std::size_t i = 0; i < keys.size(); ++i) {
            const auto number = number_of(grouped_ ? keys.values[i] : 0);
            if (cells.has(*number, keys.hashes[i].hi)) others.push_back({*number, keys.hashes[i]});
          }
          return others;
        },
        [&](std::uint64_t, const std::vector<GroupedKey>& others) {
          others_.insert(others_.end(), others.begin(), others.end());
        });
    sort_others();
  }
  void sort_others() {
    std::ranges::sort(others_);
    const auto rest = std::ranges::unique(others_);
    others_.erase(rest.begin(), rest.end());
  }

  std::optional<std::uint64_t> number_of(std::uint64_t group) const noexcept {
    const auto number = known_.number_of(group);
    if (number) return number;
    const std::uint32_t index = new_.find(group);
    if (index == GroupTable::kEmpty) return std::nullopt;
    return new_numbers_[index];
  }

  [[noreturn]] static void fail_changed() {
    throw Error(ErrorKind::bad_input, "the universe changed while it was read");
  }

  const stream::HashSource& members_;
  const UniverseKeys& universe_;
  const LayeredSet& known_;
  std::uint64_t memory_bytes_;
  const base::BuildContext& context_;
  bool grouped_;
  Gathered<HashedValue> gathered_;
  std::vector<Answering> answering_;  ///< by the numbers of known groups
  std::vector<std::uint64_t> counts_;
  GroupTable new_;
  std::vector<std::uint64_t> new_numbers_;  ///< by their indices in new_
  std::uint64_t keys_ = 0;
  std::uint64_t sum_ = 0;
  std::vector<Wrong> wrong_;
  std::vector<GroupedKey> flips_;
  std::vector<GroupedKey> others_;
  std::vector<FlipGroup> groups_;
  MadeFlips made_;
};

}  // namespace

MadeFlips build_flips(const stream::HashSource& members, const UniverseKeys& universe,
                      const LayeredSet& known, std::uint64_t memory_bytes,
                      const std::filesystem::path& temp_dir, const base::BuildContext& context) {
  MadeFlips made = FlipBuilder(members, universe, known, memory_bytes, temp_dir, context).build();
  made.list.added = made.added;
  made.list.bits = made.bits;
  return made;
}

}  // namespace crivo::exact
