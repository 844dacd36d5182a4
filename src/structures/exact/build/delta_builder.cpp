// SPDX-License-Identifier: Apache-2.0
#include "structures/exact/build/delta_builder.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "crivo/error.hpp"
#include "structures/exact/build/flip_encoder.hpp"
#include "structures/exact/build/gathered_keys.hpp"
#include "structures/exact/build/group_table.hpp"
#include "structures/exact/build/universe_scan.hpp"

namespace crivo::exact {
namespace {

using stream::HashedValue;
using stream::KeySlice;

/// A gathered key that the universe has, and for which it answers `member`, has this bit beside the
/// index of its group.
constexpr std::uint64_t kSeen = std::uint64_t{1} << 63;
/// A member is answered so.
constexpr std::uint64_t kRight = std::uint64_t{1} << 62;
constexpr std::uint64_t kGroupMask = kRight - 1;
/// A flip takes so much, with what is gathered for it.
constexpr std::uint64_t kFlipBytes = 500;
constexpr std::size_t kAskedAtOnce = 256;

/// A flip, and whether it is a member that is added.
struct Wrong {
  GroupedKey key;
  bool is_member = false;
};

/// The groups of flips, which ascend. `exactly`: with the cells that they have in a list of these
/// flips; otherwise with no more than they have in any list.
std::vector<FlipGroup> groups_of(std::span<const GroupedKey> flips,
                                 std::span<const std::uint64_t> counts, bool exactly) {
  std::vector<FlipGroup> groups;
  for (std::size_t begin = 0; begin < flips.size();) {
    std::size_t end = begin;
    while (end < flips.size() && flips[end].group == flips[begin].group) ++end;
    const std::uint64_t number = flips[begin].group;
    const std::uint64_t size = end - begin;
    groups.push_back({number, size, cell_bits_for(counts[number], exactly ? size : 0)});
    begin = end;
  }
  return groups;
}

class FlipBuilder {
 public:
  FlipBuilder(const stream::HashSource& members, const UniverseKeys& universe,
              const LayeredSet& known, const FlipScope* share, std::uint64_t memory_bytes,
              const std::filesystem::path& temp_dir, const base::BuildContext& context)
      : members_(members),
        universe_(universe),
        known_(known),
        share_(share),
        memory_bytes_(memory_bytes),
        context_(context),
        grouped_(known.set().totals().grouped),
        gathered_(2 * members.size(), {memory_bytes / 2, temp_dir}, context) {
    for (std::uint64_t number = 0; number < known.groups(); ++number)
      answering_.push_back(known.answering(number));
  }

  FoundFlips find() {
    scan_universe();
    found_.members = share_ != nullptr ? share_->members : members_.size();
    if (share_ != nullptr) take_counts(share_->counts);
    add_members();
    gathered_.finish();
    found_.temp_bytes = gathered_.temp_bytes();
    number_groups();
    find_wrong();
    gather_others();
    found_.flips = flips_of_wrong();
    return std::move(found_);
  }

 private:
  /// The number of a group that is known: beyond that, the index in new_ is to be added.
  std::uint64_t known_groups() const noexcept { return answering_.size(); }

  /// Keys of the universe that wait until there are enough to ask for their answers.
  struct Waiting {
    std::vector<Hash128> hashes;
    std::vector<std::uint64_t> numbers;
  };
  /// The counts of a thread that scans the universe.
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
    found_.counts.assign(known_groups(), 0);
    for (unsigned thread = 0; thread < all.size(); ++thread) {
      Scan& one = all[thread];
      for (std::size_t kind = 0; kind < one.by_class.size(); ++kind) {
        if (!one.by_class[kind].hashes.empty()) ask(static_cast<Class>(kind), thread, one);
      }
      for (std::size_t i = 0; i < one.counts.size(); ++i) found_.counts[i] += one.counts[i];
      new_.add(one.added);
      found_.universe += one.keys;
      sum_ += one.sum;
    }
  }

  /// Takes the counts of the whole universe, in the place of those of a share.
  void take_counts(const UniverseCounts& counts) {
    found_.universe = counts.keys;
    found_.counts.assign(known_groups(), 0);
    if (!grouped_) found_.counts[0] = counts.keys;
    new_ = {};
    for (const GroupTable::Entry& group : counts.groups.entries()) {
      const auto number = known_.number_of(group.hash);
      if (number) {
        found_.counts[*number] = group.universe;
      } else {
        new_[new_.index_of(group.hash)].universe = group.universe;
      }
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
    order.reserve(new_.entries().size());
    for (std::size_t i = 0; i < new_.entries().size(); ++i)
      order.emplace_back(new_.entries()[i].hash, i);
    std::ranges::sort(order);
    new_numbers_.resize(order.size());
    found_.added.resize(8 * order.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      new_numbers_[order[rank].second] = known_groups() + rank;
      base::store_le(found_.added.data() + 8 * rank, order[rank].first);
      found_.counts.push_back(new_.entries()[order[rank].second].universe);
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
          found_.missing += part.missing;
          if (wrong_.size() > memory_bytes_ / kFlipBytes) {
            throw Error(ErrorKind::io,
                        "the delta changes too many keys for its memory; build a new base",
                        {.remedy = "memory"});
          }
        });
    std::ranges::sort(wrong_, {}, &Wrong::key);
  }

  std::vector<GroupedKey> flips_of_wrong() const {
    std::vector<GroupedKey> flips;
    flips.reserve(wrong_.size());
    for (const Wrong& one : wrong_) flips.push_back(one.key);
    return flips;
  }

  /// Which keys may share a cell with a flip, of this share or another one.
  class Neighbours {
   public:
    explicit Neighbours(const FlipBuilder& builder)
        : share_(builder.share_), counts_(builder.found_.counts), flips_(places_of(builder)) {}

    bool has(std::uint64_t group, std::uint64_t hi) const noexcept {
      const bool is_shared = share_ != nullptr && cell_bits_for(counts_[group], 0) < share_->bits;
      return is_shared || flips_.has(group, hi);
    }

   private:
    static FlipPlaces places_of(const FlipBuilder& builder) {
      const std::vector<GroupedKey> flips = builder.flips_of_wrong();
      const auto& counts = builder.found_.counts;
      return {flips, groups_of(flips, counts, builder.share_ == nullptr), counts.size()};
    }

    const FlipScope* share_;
    std::span<const std::uint64_t> counts_;
    FlipPlaces flips_;
  };

  /// All keys in the cells of flips.
  void gather_others() {
    const Neighbours cells(*this);
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
        if (!number) fail_changed_universe();
        if (cells.has(*number, hashes[i].hi)) mine.others.push_back({*number, hashes[i]});
      }
    });
    std::uint64_t sum = 0;
    for (Thread& one : all) {
      found_.others.insert(found_.others.end(), one.others.begin(), one.others.end());
      base::free_memory(one.others);
      sum += one.sum;
    }
    if (sum != sum_) fail_changed_universe();
    sort_others();
    for (const Wrong& one : wrong_) {
      if (std::ranges::binary_search(found_.others, one.key)) continue;
      if (!one.is_member) fail_changed_universe();
      ++found_.missing;
    }
    if (found_.missing == 0) return;  // no member is in no universe
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
          found_.others.insert(found_.others.end(), others.begin(), others.end());
        });
    sort_others();
  }
  void sort_others() {
    std::ranges::sort(found_.others);
    const auto rest = std::ranges::unique(found_.others);
    found_.others.erase(rest.begin(), rest.end());
  }

  std::optional<std::uint64_t> number_of(std::uint64_t group) const noexcept {
    const auto number = known_.number_of(group);
    if (number) return number;
    const std::uint32_t index = new_.find(group);
    if (index == GroupTable::kEmpty) return std::nullopt;
    return new_numbers_[index];
  }

  const stream::HashSource& members_;
  const UniverseKeys& universe_;
  const LayeredSet& known_;
  const FlipScope* share_;
  std::uint64_t memory_bytes_;
  const base::BuildContext& context_;
  bool grouped_;
  Gathered<HashedValue> gathered_;
  std::vector<Answering> answering_;  ///< by the numbers of known groups
  GroupTable new_;
  std::vector<std::uint64_t> new_numbers_;  ///< by their indices in new_
  std::uint64_t sum_ = 0;
  std::vector<Wrong> wrong_;
  FoundFlips found_;
};

}  // namespace

FoundFlips find_flips(const stream::HashSource& members, const UniverseKeys& universe,
                      const LayeredSet& known, const FlipScope* share, std::uint64_t memory_bytes,
                      const std::filesystem::path& temp_dir, const base::BuildContext& context) {
  return FlipBuilder(members, universe, known, share, memory_bytes, temp_dir, context).find();
}

MadeFlips make_flips(const FoundFlips& found, unsigned threads) {
  const std::vector<FlipGroup> groups = groups_of(found.flips, found.counts, true);
  const FlipPlaces cells(found.flips, groups, found.counts.size());
  std::vector<GroupedKey> others;
  for (const GroupedKey& key : found.others) {
    if (cells.has(key.group, key.hash.hi)) others.push_back(key);
  }
  MadeFlips made{.added = found.added,
                 .bits = encode_flips(found.flips, others, groups, threads),
                 .missing = found.missing,
                 .temp_bytes = found.temp_bytes};
  made.list = {.flips = found.flips.size(),
               .members = found.members,
               .universe = found.universe,
               .listed = groups.size(),
               .added = made.added,
               .bits = made.bits};
  return made;
}

}  // namespace crivo::exact
